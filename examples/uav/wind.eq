model wind "a steady wind and gusts: noise through a filter of first order, as Dryden's along the wind"
  parameter steady_x = 4 "m/s"
  parameter steady_y = -2 "m/s"
  parameter length = 50 "m" "of the turbulence"
  parameter speed = 4.5 "m/s" "of the air past the vehicle"
  parameter period = 0.02 "s" "how long a value of the noise is held"
  parameter sigma = 1 "m/s" "how strong gusts are"
  parameter gain = sigma*sqrt(2*length/(speed*period))
  input noise_x = 0
  input noise_y = 0
  input noise_z = 0
  state gx = 0 "m/s"
  state gy = 0 "m/s"
  state gz = 0 "m/s"
  output wind_x = steady_x + gx "m/s"
  output wind_y = steady_y + gy "m/s"
  output wind_z = 0.5*gz "m/s"
  der(gx) = speed/length*(gain*noise_x - gx)
  der(gy) = speed/length*(gain*noise_y - gy)
  der(gz) = speed/length*(gain*noise_z - gz)
end
