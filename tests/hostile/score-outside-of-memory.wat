;; Says that its score lies where there is no memory.
(func (export "podium:grading/grader@1.0.0#grade")
  (param $submission i32) (param $answers i32) (param $count i32) (result i32)
  (i32.const -8))
