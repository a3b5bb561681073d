namespace QuickSilver.Protocol.Core;

/// <summary>Placeholder body until the splay tree lands; the members are the contract.</summary>
public sealed class AlarmQueue
{
    private readonly SortedSet<Alarm> _set = new(Comparer<Alarm>.Create((a, b) => a.Due != b.Due ? a.Due.CompareTo(b.Due) : a.Order.CompareTo(b.Order)));
    private ulong _order;

    /// <summary>How many alarms are set.</summary>
    public int Count => _set.Count;

    /// <summary>When the first is due; <see cref="Instant.Never"/> when none is set.</summary>
    public Instant NextDue => _set.Min?.Due ?? Instant.Never;

    internal void Set(Alarm alarm, Instant due)
    {
        Cancel(alarm);
        alarm.Due = due;
        alarm.Order = _order++;
        alarm.IsSet = true;
        _set.Add(alarm);
    }

    internal void Cancel(Alarm alarm)
    {
        if (!alarm.IsSet) return;
        _set.Remove(alarm);
        alarm.IsSet = false;
    }

    /// <summary>Fires the first alarm if it is due.</summary>
    /// <returns>False when none was due.</returns>
    public bool FireNext(Instant now)
    {
        Alarm? first = _set.Min;
        if (first is null || first.Due > now) return false;
        Cancel(first);
        first.Callback(now);
        return true;
    }
}
