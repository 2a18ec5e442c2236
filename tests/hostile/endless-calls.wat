;; Asks for the size of the submission without end.
(func (export "podium:grading/grader@1.0.0#grade")
  (param $submission i32) (param $answers i32) (param $count i32) (result i32)
  (loop $on (drop (call $size (local.get $submission))) (br $on))
  (unreachable))
