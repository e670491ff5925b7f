model plant "a state that grows or decays, as its input says"
  experiment stop 2 step 0.1
  input u = -1 "" "1: it grows, -1: it decays"
  output state x = 1
  der(x) = u*x
end
