using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Probing;

namespace QuickSilver.Protocol.Dissemination.Streams;

/// <summary>
/// When a stream's beacons are due: a short silence after the last packet, then at doubling distances. The alarm is not
/// moved with each packet. When it fires too early it is set again for the remaining time. So a busy stream pays for it
/// once per silence and not once per train. A beacon stays due until it is made, or packets are sent in its place.
/// </summary>
internal sealed class BeaconClock
{
    // Some 300 ms with the usual distances: many rounds, if any datagram of the stream has come.
    private const int Patience = 6;

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

    /// <summary>True when a beacon should leave.</summary>
    public bool IsDue { get; private set; }

    /// <summary>Beacons since the last packet, or since all was stable.</summary>
    public int Repeated { get; private set; }

    /// <summary>True when so many beacons have changed nothing that the region may not have heard any.</summary>
    public bool IsInVain => Repeated >= Patience;

    /// <summary>Packets were sent for the first time.</summary>
    public void OnPacket(Instant now)
    {
        IsDue = false;
        Repeated = 0;
        _delay = _settings.Probes.Here(BuggifySite.BeaconEarly) ? TimeSpan.Zero : _settings.BeaconDelay;
        _lastSent = now;
        _alarm.SetIfEarlier(now + _delay);
    }

    /// <summary>A beacon was made.</summary>
    public void OnBeacon(Instant now)
    {
        IsDue = false;
        Repeated++;
        TimeSpan doubled = _delay == TimeSpan.Zero ? _settings.BeaconDelay : _delay * 2;
        _delay = doubled < _settings.MaxBeaconDelay ? doubled : _settings.MaxBeaconDelay;
        _lastSent = now;
        _alarm.Set(now + _delay);
    }

    /// <summary>Announces a new state: a beacon is due now, and the one after it at the first distance again.</summary>
    public void Announce()
    {
        _delay = TimeSpan.Zero;
        Fire();
    }

    /// <summary>Stops the beacons: everything is stable.</summary>
    public void Stop()
    {
        IsDue = false;
        Repeated = 0;
        _alarm.Cancel();
    }

    private void Fire()
    {
        IsDue = true;
        _due();
    }

    private void OnAlarm(Instant now)
    {
        Instant due = _lastSent + _delay;
        if (now < due) _alarm.Set(due);
        else Fire();
    }
}
