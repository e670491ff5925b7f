# What the air data computer makes of Mach number and pressure.
variable felt_pressure = max(pressure + pressure_bias, 0)
variable gas = 8314.32/28.9644
pressure_altitude = 288.15/0.0065*(1 - power(felt_pressure/101325, gas*0.0065/9.80665))
variable impact = felt_pressure*(power(1 + 0.2*mach*mach, 3.5) - 1)
calibrated_airspeed = sqrt(1.4*gas*288.15*5*(power(impact/101325 + 1, 1/3.5) - 1))
true_airspeed = mach*sqrt(1.4*gas*max(temperature, 0))
# Inertial measurements have biases.
measured_roll = roll + attitude_bias[1]
measured_pitch = pitch + attitude_bias[2]
measured_heading = heading + attitude_bias[3]
measured_roll_rate = roll_rate + rate_bias[1]
measured_pitch_rate = pitch_rate + rate_bias[2]
measured_yaw_rate = yaw_rate + rate_bias[3]
measured_acceleration_right = acceleration_right + acceleration_bias
measured_climb_rate = climb_rate
