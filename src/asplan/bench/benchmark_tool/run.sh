#!/bin/bash
# One run of asplan, limited and measured by runlim; benchmark-tool fills in the names in braces.

cd "$(dirname "$0")"

encodings=()
for file in {encodings}; do
    encodings+=(-e "$file")
done

if [[ ! -e .finished ]]; then
    "{root}/programs/runlim" {options} --space-limit={memout} \
        --output-file=runsolver.watcher --real-time-limit={timeout} \
        "{root}/programs/{solver}" {sys_cmd} {setting_cmd} "${{encodings[@]}}" {files} \
        {setting_cmd_post} > runsolver.solver 2> asplan.errors
fi

touch .finished
