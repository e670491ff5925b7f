model rotors "four motors that follow their commands late"
  parameter lag = 0.05 "s"
  parameter hover = 0 "rad/s" "speed at the start"
  input c1 = 0 "rad/s" "command of rotor 1"
  input c2 = 0 "rad/s"
  input c3 = 0 "rad/s"
  input c4 = 0 "rad/s"
  output state w1 = hover "rad/s"
  output state w2 = hover "rad/s"
  output state w3 = hover "rad/s"
  output state w4 = hover "rad/s"
  der(w1) = (c1 - w1)/lag
  der(w2) = (c2 - w2)/lag
  der(w3) = (c3 - w3)/lag
  der(w4) = (c4 - w4)/lag
end
