model paddle "a paddle that mirrors the ball, more if the ball is too low"
  parameter g = 9.81 "m/s2"
  parameter e = 0.7 "" "restitution, as the ball's"
  parameter target = 2 "m" "how high the ball shall fly"
  parameter gain = 0.01 "s2/m2"
  parameter steady = (1 - e)/(1 + e)
  input h = 0 "m" "height of the ball"
  input v = 0 "m/s" "speed of the ball"
  variable energy = g*h + 0.5*v^2
  variable mirror = steady + gain*(g*target - energy)
  output position = -mirror*h "m"
  output speed = -mirror*v "m/s"
end
