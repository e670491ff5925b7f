# Velocity in body axes, rates, attitude as a quaternion, place.
state vx = speed0*cos(angle_of_attack0)*cos(sideslip0)
state vy = speed0*sin(sideslip0)
state vz = speed0*sin(angle_of_attack0)*cos(sideslip0)
state roll_rate = rates0[1]
state pitch_rate = rates0[2]
state yaw_rate = rates0[3]
state qa = cos(roll0/2)*cos(pitch0/2)*cos(heading0/2) + sin(roll0/2)*sin(pitch0/2)*sin(heading0/2)
state qb = sin(roll0/2)*cos(pitch0/2)*cos(heading0/2) - cos(roll0/2)*sin(pitch0/2)*sin(heading0/2)
state qc = cos(roll0/2)*sin(pitch0/2)*cos(heading0/2) + sin(roll0/2)*cos(pitch0/2)*sin(heading0/2)
state qd = cos(roll0/2)*cos(pitch0/2)*sin(heading0/2) - sin(roll0/2)*sin(pitch0/2)*cos(heading0/2)
state latitude = latitude0
state longitude = longitude0
state altitude = altitude0

# The matrix that turns local vectors (north, east, down) into those of the body.
variable length = sqrt(qa*qa + qb*qb + qc*qc + qd*qd)
variable a = qa/length
variable b = qb/length
variable c = qc/length
variable d = qd/length
variable m11 = a*a + b*b - c*c - d*d
variable m12 = 2*(b*c + a*d)
variable m13 = 2*(b*d - a*c)
variable m21 = 2*(b*c - a*d)
variable m22 = a*a - b*b + c*c - d*d
variable m23 = 2*(c*d + a*b)
variable m31 = 2*(b*d + a*c)
variable m32 = 2*(c*d - a*b)
variable m33 = a*a - b*b - c*c + d*d
roll = atan2(m23, m33)
pitch = asin(min(max(-m13, -1), 1))
heading = atan2(m12, m11)

# Over ground.
variable north = m11*vx + m21*vy + m31*vz
variable east = m12*vx + m22*vy + m32*vz
variable down = m13*vx + m23*vy + m33*vz
ground_speed = sqrt(north*north + east*east)
climb_rate = -down

# The air as the airplane meets it.
variable ax = vx - (m11*wind_north + m12*wind_east + m13*wind_down)
variable ay = vy - (m21*wind_north + m22*wind_east + m23*wind_down)
variable az = vz - (m31*wind_north + m32*wind_east + m33*wind_down)
variable air_square = ax*ax + ay*ay + az*az
airspeed = sqrt(air_square)
angle_of_attack = atan2(az, ax)
sideslip = asin(min(max(if airspeed == 0 then 0 else ay/airspeed, -1), 1))
dynamic_pressure = 0.5*density*air_square
mach = airspeed/speed_of_sound
variable pressed = dynamic_pressure*wing[1]
variable half_time = if airspeed == 0 then 0 else 0.5/airspeed
variable p_hat = roll_rate*wing[3]*half_time
variable q_hat = pitch_rate*wing[2]*half_time
variable r_hat = yaw_rate*wing[3]*half_time
variable chord_time = wing[2]*half_time

# Forces of air and engines, but for what follows the rate of the angle of attack.
variable still = lift[1] + lift[2]*angle_of_attack + lift[5]*elevator
variable steady_lift = pressed*(still + lift[3]*q_hat)
variable drag_force = pressed*(drag[1] + drag[2]*still*still)
variable sine = sin(angle_of_attack)
variable cosine = cos(angle_of_attack)
variable steady_x = thrust_left + thrust_right - drag_force*cosine + steady_lift*sine
variable steady_z = -drag_force*sine - steady_lift*cosine
variable side = pressed*(side_force[1]*sideslip + side_force[2]*p_hat + side_force[3]*r_hat + side_force[4]*aileron + side_force[5]*rudder)

# Lift follows that rate, and that rate follows lift: linear, so solved.
variable plane_square = ax*ax + az*az
variable along_x = steady_x/mass + m13*gravity - (pitch_rate*az - yaw_rate*ay)
variable along_z = steady_z/mass + m33*gravity - (roll_rate*ay - pitch_rate*ax)
variable rate_lift = pressed*lift[4]*chord_time
variable attack_rate = if plane_square == 0 then 0 else (ax*along_z - az*along_x)/plane_square/(1 + rate_lift/(mass*sqrt(plane_square)))
acceleration_forward = (steady_x + rate_lift*attack_rate*sine)/mass
acceleration_right = side/mass
acceleration_down = (steady_z - rate_lift*attack_rate*cosine)/mass
load_factor = -acceleration_down/gravity

# Moments, and Euler's equations for a body with a plane of symmetry.
variable pitch_part = pitch_moment[1] + pitch_moment[2]*angle_of_attack + pitch_moment[3]*q_hat + pitch_moment[4]*chord_time*attack_rate + pitch_moment[5]*elevator
variable moment_x = pressed*wing[3]*(roll_moment[1]*sideslip + roll_moment[2]*p_hat + roll_moment[3]*r_hat + roll_moment[4]*aileron + roll_moment[5]*rudder)
variable moment_y = pressed*wing[2]*pitch_part + engine[2]*(thrust_left + thrust_right)
variable moment_z = pressed*wing[3]*(yaw_moment[1]*sideslip + yaw_moment[2]*p_hat + yaw_moment[3]*r_hat + yaw_moment[4]*aileron + yaw_moment[5]*rudder) + engine[1]*(thrust_left - thrust_right)
variable rolling = moment_x + inertia_xz*roll_rate*pitch_rate - (inertia[3] - inertia[2])*pitch_rate*yaw_rate
variable yawing = moment_z - (inertia[2] - inertia[1])*roll_rate*pitch_rate - inertia_xz*pitch_rate*yaw_rate
variable determinant = inertia[1]*inertia[3] - inertia_xz*inertia_xz
roll_acceleration = (inertia[3]*rolling + inertia_xz*yawing)/determinant
pitch_acceleration = (moment_y - (inertia[1] - inertia[3])*roll_rate*yaw_rate - inertia_xz*(roll_rate*roll_rate - yaw_rate*yaw_rate))/inertia[2]
yaw_acceleration = (inertia_xz*rolling + inertia[1]*yawing)/determinant

der(vx) = acceleration_forward + m13*gravity - (pitch_rate*vz - yaw_rate*vy)
der(vy) = acceleration_right + m23*gravity - (yaw_rate*vx - roll_rate*vz)
der(vz) = acceleration_down + m33*gravity - (roll_rate*vy - pitch_rate*vx)
der(roll_rate) = roll_acceleration
der(pitch_rate) = pitch_acceleration
der(yaw_rate) = yaw_acceleration
der(qa) = -0.5*(qb*roll_rate + qd*yaw_rate + qc*pitch_rate)
der(qb) = 0.5*(qa*roll_rate + qc*yaw_rate - qd*pitch_rate)
der(qc) = 0.5*(qa*pitch_rate + qd*roll_rate - qb*yaw_rate)
der(qd) = 0.5*(qa*yaw_rate + qb*pitch_rate - qc*roll_rate)
der(latitude) = north/(earth_radius + altitude)
der(longitude) = east/((earth_radius + altitude)*cos(latitude))
der(altitude) = -down
