model aircraft "an aircraft that climbs or descends in a vertical plane: HSCC 2010's falsification benchmark"
  experiment stop 4 step 0.01
  parameter m = 74000 "kg" "mass"
  parameter g = 9.81 "m/s2" "gravity"
  parameter S = 158 "m2" "wing area"
  parameter rho = 0.3804 "kg/m3" "density of the air"
  parameter B0 = 0.07351 "" "drag, constant"
  parameter B1 = -1.5e-3 "" "drag, per degree"
  parameter B2 = 6.1e-4 "" "drag, per square degree"
  parameter C0 = 0.1667 "" "lift, constant"
  parameter C1 = 0.109 "" "lift, per degree"
  parameter v0 = 245 "m/s" "speed at the start"
  input thrust = 44180 "N"
  input attack = 4 "deg" "angle of attack"
  output state v = v0 "m/s" "speed"
  output state path = 0 "" "angle of the flight path; the benchmark takes it in degrees and its rate as it comes"
  output state h = 120 "m" "height"
  variable slope = path*3.141592653589793/180
  variable air = S*rho*v/(2*m)
  der(v) = thrust/m - air*v*(B0 + B1*attack + B2*attack^2) - g*sin(slope)
  der(path) = air*(C0 + C1*attack) - g*cos(slope)/v
  der(h) = v*sin(slope)
end
