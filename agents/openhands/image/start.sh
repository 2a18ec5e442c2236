#!/bin/bash
# Starts OpenHands without its window. Its arguments are those of agent.toml, as --key value.
set -eu

cd "$AGENT_DIR"
task-text >task.txt
{
    printf '\nHOW TO WORK\n\n'
    printf -- '- Write your programs in %s, and run them in the shell: its python has the packages for machine learning.\n' "$CODE_DIR"
    printf -- '- Nobody answers questions. Do not stop before the time or the steps are used up, or the submission cannot get better.\n'
} >>task.txt
cp task.txt "$LOGS_DIR/task.txt"

# In this container, with the user that this is, in the folder that is kept.
export RUNTIME=local
export RUN_AS_OPENHANDS=false
export WORKSPACE_BASE="$CODE_DIR"
export ENABLE_BROWSER=false
# Every step is a file there at once; the history as a whole is written at the end.
export FILE_STORE=local
export FILE_STORE_PATH="$LOGS_DIR/sessions"
export SAVE_TRAJECTORY_PATH="$LOGS_DIR/trajectory.json"
# One call of a tool may take as long as the run.
export SANDBOX_TIMEOUT="$TIME_LIMIT_SECS"

# In the place of this shell, so that the signal at the end of the time reaches it.
exec "${OPENHANDS_PYTHON:-/home/agent/openhands/bin/python}" -m openhands.core.main \
    --file "$AGENT_DIR/task.txt" \
    --max-iterations "$STEP_LIMIT" \
    "$@"
