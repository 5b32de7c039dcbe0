#!/bin/bash
# Workers of a queue as an array job: sbatch --array=0-99 deploy/slurm/workers.sh nats://HOST:4222 RESULTS [option …]
#
# For a campaign without a queue, `hooke submit --scheduler slurm` writes its own script.
#SBATCH --job-name=hooke-worker
#SBATCH --ntasks=1 --cpus-per-task=1
#SBATCH --time=24:00:00
# Two minutes before the end, and when the job is preempted: the worker finishes or gives back what it holds. B: signals
# this script, which becomes the worker; without it, only steps of srun are signaled.
#SBATCH --signal=B:TERM@120
#SBATCH --requeue
set -euo pipefail
queue=$1 results=$2
shift 2
exec ${HOOKE:-hooke} work --queue "$queue" --store "$results" --grace 100 --until-empty "$@"
