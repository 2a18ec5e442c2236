;; Makes memory larger by nothing without end.
(func (export "podium:grading/grader@1.0.0#grade")
  (param $submission i32) (param $answers i32) (param $count i32) (result i32)
  (loop $on (drop (memory.grow (i32.const 0))) (br $on))
  (unreachable))
