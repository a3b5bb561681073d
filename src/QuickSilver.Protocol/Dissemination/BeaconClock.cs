using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Dissemination;

/// <summary>
/// When a stream's beacons are due: a short silence after the last packet, then at doubling distances. The alarm is not moved with each packet; when
/// it fires too early it is set again for what is left, so a busy stream pays for it once per silence and not once per train.
/// </summary>
internal sealed class BeaconClock
{
    private readonly DisseminationSettings _settings;
    private readonly Action _due;
    private readonly Alarm _alarm;
    private TimeSpan _delay;
    private Instant _lastSent;

    public BeaconClock(DisseminationSettings settings, AlarmQueue alarms, Action due)
    {
        _settings = settings;
        _due = due;
        _delay = settings.BeaconDelay;
        _alarm = new Alarm(alarms, OnAlarm);
    }

    /// <summary>Packets were sent for the first time.</summary>
    public void OnPacket(Instant now)
    {
        _delay = _settings.Probes.Here(BuggifySite.BeaconEarly) ? TimeSpan.Zero : _settings.BeaconDelay;
        _lastSent = now;
        _alarm.SetIfEarlier(now + _delay);
    }

    /// <summary>A beacon was sent.</summary>
    public void OnBeacon(Instant now)
    {
        TimeSpan doubled = _delay == TimeSpan.Zero ? _settings.BeaconDelay : _delay * 2;
        _delay = doubled < _settings.MaxBeaconDelay ? doubled : _settings.MaxBeaconDelay;
        _lastSent = now;
        _alarm.Set(now + _delay);
    }

    /// <summary>A beacon with something new to say goes out now: the one after it comes at the first distance again.</summary>
    public void Restart() => _delay = TimeSpan.Zero;

    /// <summary>All is stable.</summary>
    public void Stop() => _alarm.Cancel();

    private void OnAlarm(Instant now)
    {
        Instant due = _lastSent + _delay;
        if (now < due) _alarm.Set(due);
        else _due();
    }
}
