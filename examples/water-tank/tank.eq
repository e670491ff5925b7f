model tank "a water tank with a constant inflow and a valve in its drain"
  experiment stop 30 step 0.1
  parameter area = 1.5 "m2"
  parameter inflow = 0.25 "m3/s"
  parameter drain = 0.12 "m2" "of the opening behind the valve"
  parameter g = 9.81 "m/s2"
  input valvecontrol = 0 "" "0: closed, 1: open"
  output state level = 1 "m"
  output outflow = valvecontrol*drain*sqrt(2*g*max(level, 0)) "m3/s"
  der(level) = (inflow - outflow)/area
end
