;; Scores with ten million measures.
(func (export "podium:grading/grader@1.0.0#grade")
  (param $submission i32) (param $answers i32) (param $count i32) (result i32)
  (if (i32.eq (i32.const -1) (memory.grow (i32.const 2500))) (then (unreachable)))
  (drop (call $score (f64.const 1)))
  (i32.store (i32.const 80) (i32.const 65536))
  (i32.store (i32.const 84) (i32.const 10000000))
  (i32.const 64))
