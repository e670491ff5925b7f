model detector "a slow sensor that counts oscillations"
  parameter lag = 0.5 "s" "how slow it is"
  input concentration = 1
  output state signal = 1
  output discrete peaks = 0
  output discrete period = 0 "s" "from the last peak but one to the last"
  discrete last = 0 "s" "when the last peak was"
  der(signal) = (concentration - signal)/lag
  when der(signal) < 0 and signal > 1.05 then
    period = if peaks > 0 then time - last else 0
    last = time
    peaks = peaks + 1
  end
end
