#!/bin/bash
# Starts MLAgentBench. Its arguments are those of agent.toml, as --key value.
set -eu

# Its agent works in a copy of the folder env, in which links stay links.
checkout=$AGENT_DIR/MLAgentBench
benchmark=$checkout/MLAgentBench/benchmarks/podium
logs=$AGENT_DIR/logs
work=$AGENT_DIR/work
mkdir -p "$logs" "$benchmark/scripts"
ln -sfn "$LOGS_DIR" "$logs/agent_log"
ln -sfn /home/data "$benchmark/env/data"
ln -sfn "$SUBMISSION_DIR" "$benchmark/env/submission"
cp /home/validate_submission.sh "$benchmark/env/validate_submission.sh"
task-text relative >"$benchmark/scripts/research_problem.txt"
cp "$benchmark/scripts/research_problem.txt" "$benchmark/env/instructions.txt"
cp "$benchmark/scripts/research_problem.txt" "$LOGS_DIR/task.txt"

cd "$checkout"
python=$(command -v python)
python -u -m MLAgentBench.prepare_task podium "$python"

# What it wrote is kept, also when the time is over: then this shell is asked to end, and hands that on.
keep_code() {
    if [ -d "$work/podium" ]; then
        (cd "$work/podium" && find . -type f -size -10M -not -path './backup/*' -exec cp --parents -t "$CODE_DIR" {} +)
    fi
}
trap 'kill -TERM "$agent" || true; wait "$agent" || true; keep_code; exit 143' TERM

python -u -m MLAgentBench.runner \
    --python "$python" \
    --task podium \
    --device 0 \
    --log-dir "$logs" \
    --work-dir "$work" \
    --max-steps "$STEP_LIMIT" \
    --agent-max-steps "$STEP_LIMIT" \
    --max-time "$TIME_LIMIT_SECS" \
    "$@" &
agent=$!
code=0
wait "$agent" || code=$?
keep_code
exit "$code"
