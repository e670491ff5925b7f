density = pressure/(gas*temperature)
speed_of_sound = sqrt(1.4*(gas*temperature))
# One gust, which grows and fades as (1 - cos)/2.
variable elapsed = time - gust_start
variable gusty = if gust_start < time and time < gust_start + gust_duration then 0.5 - 0.5*cos(2*pi*(elapsed/gust_duration)) else 0
wind_north = wind[1] + gusty*gust[1]
wind_east = wind[2] + gusty*gust[2]
wind_down = wind[3] + gusty*gust[3]
