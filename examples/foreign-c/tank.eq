model tank "the same tank as equations: what tank.c is checked against"
  input inflow = 0 "m3/s"
  parameter area = 2 "m2"
  parameter outlet = 0.4
  output state level = 0.5 "m"
  der(level) = (inflow - outlet*sqrt(level))/area
end
