"""Exact versions of all packages, per family: the only place that names them."""

#: What every family shares.
BASE = (
    "torch==2.10.0",
    "numpy==2.3.5",
    "ase==3.29.0",
    "onnx==1.23.2",
    "onnxscript==0.7.2",
    "onnxruntime==1.31.1",
)

#: Families that share the environment of another.
FAMILY_OF = {"allegro": "nequip", "m3gnet": "tensornet", "torch": "base"}

#: What a family adds, complete: pip installs these and no dependencies.
PINS: dict[str, tuple[str, ...]] = {
    "aimnet2": (
        "aimnet==0.2.5", "certifi==2026.10.18", "charset-normalizer==3.5.2", "click==8.5.1", "h5py==3.16.0",
        "idna==3.20", "nvalchemi-toolkit-ops==0.5.0", "PyYAML==6.0.3", "requests==2.34.2", "urllib3==2.8.0",
        "warp-lang==1.19.0",
    ),
    "ani": (
        "certifi==2025.10.5", "charset-normalizer==3.4.4", "idna==3.11", "importlib_metadata==8.7.0",
        "lark-parser==0.12.0", "requests==2.32.5", "torchani==2.0", "urllib3==2.5.0", "zipp==3.23.0",
        "setuptools==80.9.0",
    ),
    "chgnet": (
        "bibtexparser==1.4.4", "certifi==2026.10.18", "charset-normalizer==3.5.2", "chgnet==0.4.2",
        "cloudpickle==3.1.2", "Cython==3.3.1", "idna==3.20", "joblib==1.6.0", "lxml==6.1.3", "monty==2026.10.21",
        "narwhals==2.28.0", "nvidia-ml-py3==7.352.0", "orjson==3.13.0", "palettable==3.3.3", "pandas==3.1.1",
        "plotly==7.1.0", "pymatgen==2026.10.24", "pymatgen-core==2026.10.16", "requests==2.34.2",
        "ruamel.yaml==0.19.1", "spglib==2.8.0", "tabulate==0.10.0", "tqdm==4.70.1", "uncertainties==3.2.3",
        "urllib3==2.8.0",
    ),
    "mace": (
        "ConfigArgParse==1.9.0", "e3nn==0.4.4", "gitdb==4.0.12", "GitPython==3.2.1", "h5py==3.16.0",
        "lightning-utilities==0.15.3", "lmdb==3.0.0", "mace-torch==0.3.16", "matscipy==1.3.1", "opt-einsum-fx==0.1.4",
        "opt_einsum==3.4.0", "orjson==3.13.0", "pandas==3.1.1", "prettytable==3.18.0", "python_hostlist==2.3.0",
        "PyYAML==6.0.3", "smmap==5.0.3", "torch-ema==0.3", "torchmetrics==1.9.0", "tqdm==4.70.1", "wcwidth==0.9.4",
    ),
    "mattersim": (
        "aiohappyeyeballs==2.7.1", "aiohttp==3.14.5", "aiosignal==1.4.0", "attrs==26.1.0", "bibtexparser==1.4.4",
        "certifi==2026.10.18", "charset-normalizer==3.5.2", "cloudpickle==3.1.2", "Deprecated==1.3.1", "e3nn==0.5.0",
        "frozenlist==1.8.0", "idna==3.20", "joblib==1.6.0", "lightning-utilities==0.15.3", "loguru==0.7.3",
        "lxml==6.1.3", "mattersim==1.0.0rc9", "monty==2026.10.21", "multidict==7.2.1", "narwhals==2.28.0",
        "opt-einsum-fx==0.1.4", "opt_einsum==3.4.0", "orjson==3.13.0", "palettable==3.3.3", "pandas==3.1.1",
        "plotly==7.1.0", "propcache==0.5.4", "psutil==7.2.2", "pymatgen==2026.10.24", "pymatgen-core==2026.10.16",
        "requests==2.34.2", "ruamel.yaml==0.19.1", "scikit-learn==1.9.1", "spglib==2.8.0", "tabulate==0.10.0",
        "threadpoolctl==3.8.0", "torch-ema==0.3", "torch-geometric==2.8.1", "torch-runstats==0.2.0",
        "torchmetrics==1.9.0", "tqdm==4.70.1", "uncertainties==3.2.3", "urllib3==2.8.0", "wrapt==2.5.2",
        "xxhash==4.1.0", "yarl==1.25.1",
    ),
    "nequip": (
        "aiohappyeyeballs==2.7.1", "aiohttp==3.14.5", "aiosignal==1.4.0", "antlr4-python3-runtime==4.9.3",
        "attrs==26.1.0", "certifi==2026.10.18", "charset-normalizer==3.5.2", "e3nn==0.6.0", "frozenlist==1.8.0",
        "hydra-core==1.3.8", "idna==3.20", "lightning==2.6.6", "lightning-utilities==0.15.3", "lmdb==3.0.0",
        "matscipy==1.3.1", "multidict==7.2.1", "nequip==0.19.1", "nequip-allegro==0.8.3", "omegaconf==2.3.1",
        "opt-einsum-fx==0.1.4", "opt_einsum==3.4.0", "propcache==0.5.4", "pytorch-lightning==2.6.6", "PyYAML==6.0.3",
        "requests==2.34.2", "torchmetrics==1.9.0", "tqdm==4.70.1", "urllib3==2.8.0", "yarl==1.25.1",
    ),
    "orb": (
        "absl-py==2.5.1", "attrs==26.1.0", "dm-tree==0.1.10", "orb-models==0.5.5", "tqdm==4.70.1", "wrapt==2.5.2",
    ),
    "pet": (
        "annotated-types==0.8.0", "anyio==4.16.0", "attrs==26.1.0", "certifi==2026.10.18", "click==8.5.1",
        "ctypes-dlpack==0.1.1", "h11==0.16.0", "hf-xet==1.8.0", "httpcore2==2.16.2", "httpx2==2.16.2",
        "huggingface_hub==2.4.0", "idna==3.20", "jsonschema==4.26.0", "jsonschema-specifications==2025.9.1",
        "metatensor-core==0.2.6", "metatensor-learn==0.5.0", "metatensor-operations==0.5.0",
        "metatensor-torch==0.10.8", "metatomic-ase==0.1.4", "metatomic-torch==0.1.19", "metatrain==2026.4.1",
        "omegaconf==2.4.0", "pydantic==2.14.3", "pydantic_core==2.50.4", "python_hostlist==2.3.0", "PyYAML==6.0.3",
        "referencing==0.37.0", "rpds-py==2026.9.1", "tqdm==4.70.1", "truststore==0.10.5",
        "typing-inspection==0.4.5", "vesin==0.6.2", "wigners==0.4.1",
    ),
    "sevennet": (
        "aiohappyeyeballs==2.7.1", "aiohttp==3.14.5", "aiosignal==1.4.0", "attrs==26.1.0", "braceexpand==0.1.7",
        "certifi==2026.10.18", "charset-normalizer==3.5.2", "cloudpickle==3.1.2", "e3nn==0.6.0", "frozenlist==1.8.0",
        "idna==3.20", "joblib==1.6.0", "matscipy==1.3.1", "multidict==7.2.1", "narwhals==2.28.0", "ninja==1.13.2",
        "opt-einsum-fx==0.1.4", "opt_einsum==3.4.0", "pandas==3.1.1", "propcache==0.5.4", "psutil==7.2.2",
        "PyYAML==6.0.3", "requests==2.34.2", "scikit-learn==1.9.1", "sevenn==0.13.0", "threadpoolctl==3.8.0",
        "torch-geometric==2.8.1", "tqdm==4.70.1", "urllib3==2.8.0", "xxhash==4.1.0", "yarl==1.25.1",
    ),
    "tensornet": (
        "aiohappyeyeballs==2.7.1", "aiohttp==3.14.5", "aiosignal==1.4.0", "annotated-types==0.8.0", "anyio==4.16.0",
        "attrs==26.1.0", "bibtexparser==2.1.0", "boto3==1.44.5", "botocore==1.44.5", "certifi==2026.10.18",
        "charset-normalizer==3.5.2", "click==8.5.1", "frozenlist==1.8.0", "h11==0.16.0", "hf-xet==1.8.0",
        "httpcore2==2.16.2", "httpx2==2.16.2", "huggingface_hub==2.4.0", "idna==3.20", "jmespath==1.1.0",
        "joblib==1.6.0", "lightning==2.6.6", "lightning-utilities==0.15.3", "matgl==4.1.2", "monty==2026.10.21",
        "multidict==7.2.1", "orjson==3.13.0", "palettable==3.3.3", "pandas==3.1.1", "propcache==0.5.4",
        "psutil==7.2.2", "pydantic==2.14.3", "pydantic_core==2.50.4", "pymatgen-core==2026.10.16",
        "pytorch-lightning==2.6.6", "PyYAML==6.0.3", "requests==2.34.2", "ruamel.yaml==0.19.1", "s3transfer==0.19.3",
        "spglib==2.8.0", "tabulate==0.10.0", "torch-geometric==2.8.1", "torchdata==0.11.0", "torchmetrics==1.9.0",
        "tqdm==4.70.1", "truststore==0.10.5", "typing-inspection==0.4.5", "uncertainties==3.2.3", "urllib3==2.8.0",
        "xxhash==4.1.0", "yarl==1.25.1",
    ),
}
