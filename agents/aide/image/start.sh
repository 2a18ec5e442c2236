#!/bin/bash
# Starts AIDE. Its arguments are those of agent.toml, as key=value.
set -eu

# AIDE writes below two folders of its choice; what is kept of a run is linked to where Podium looks for it. It stores its
# best solution and best submission anew whenever it has better ones, so what lies there is right at any time.
mkdir -p "$AGENT_DIR/workspaces/exp" "$AGENT_DIR/logs"
ln -sfn "$LOGS_DIR" "$AGENT_DIR/logs/exp"
ln -sfn "$CODE_DIR" "$AGENT_DIR/workspaces/exp/best_solution"
ln -sfn "$SUBMISSION_DIR" "$AGENT_DIR/workspaces/exp/best_submission"

cd "$AGENT_DIR"
task-text relative >task.txt
cp task.txt "$LOGS_DIR/task.txt"

# In the place of this shell, so that the signal at the end of the time reaches it.
exec aide \
    data_dir=/home/data \
    desc_file="$AGENT_DIR/task.txt" \
    exp_name=exp \
    agent.steps="$STEP_LIMIT" \
    agent.time_limit="$TIME_LIMIT_SECS" \
    "$@"
