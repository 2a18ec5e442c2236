;; Says what is wrong in two gigabytes.
(func (export "podium:grading/grader@1.0.0#grade")
  (param $submission i32) (param $answers i32) (param $count i32) (result i32)
  (if (i32.eq (i32.const -1) (memory.grow (i32.const 32768))) (then (unreachable)))
  (call $fail (i32.const 0) (i32.const 65536) (i32.const 0x7fffffff)))
