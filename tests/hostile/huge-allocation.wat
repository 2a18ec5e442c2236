;; Asks for all memory that there can be, beside what it has, in one go.
(func (export "podium:grading/grader@1.0.0#grade")
  (param $submission i32) (param $answers i32) (param $count i32) (result i32)
  (if (i32.eq (i32.const -1) (memory.grow (i32.const 65535))) (then (unreachable)))
  (if (i32.eq (i32.const -1) (memory.grow (i32.const 65535))) (then (unreachable)))
  (call $score (f64.const 1)))
