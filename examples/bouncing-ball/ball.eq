model ball "a ball in free flight that a paddle throws up again"
  # Alone, on a floor that stands still, it would lie still after 2.56 s and infinitely many bounces.
  experiment stop 2.5 step 0.01
  parameter g = 9.81 "m/s2" "gravity"
  parameter e = 0.7 "" "restitution: what is left of the relative speed"
  input paddle = 0 "m" "height of the paddle"
  input paddle_speed = 0 "m/s"
  output state h = 1 "m" "height"
  output state v = 0 "m/s" "speed, upwards"
  output discrete bounces = 0
  output energy = g*h + 0.5*v^2 "m2/s2" "per mass"
  der(h) = v
  der(v) = -g
  when h < paddle and v < paddle_speed then
    v = paddle_speed - e*(v - paddle_speed)
    bounces = bounces + 1
  end
end
