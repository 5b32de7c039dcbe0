// A page that shows structures. The readers of files are loaded when there is a file.
import { defineViewer } from "@hooke/hooke/viewer";

defineViewer();
