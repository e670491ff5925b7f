model controller "the same controller as equations: what controller.py is checked against"
  input setpoint = 0 "m"
  input level = 0 "m"
  parameter gain = 0.02
  output state u = 0.2 "m3/s"
  der(u) = gain*(setpoint - level)
end
