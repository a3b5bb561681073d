namespace QuickSilver.WideArea.Diagnostics;

/// <summary>What the tasks of a gateway count. Any thread.</summary>
internal sealed class GatewayFigures
{
    private long _forwarded;
    private long _published;
    private long _missed;
    private long _lost;
    private long _refused;
    private long _letGo;

    /// <summary>Messages of the own site that were read for the others.</summary>
    public long Forwarded => Volatile.Read(ref _forwarded);

    /// <summary>Messages of other sites that were published.</summary>
    public long Published => Volatile.Read(ref _published);

    /// <summary>Messages of the own site that the others do not get.</summary>
    public long Missed => Volatile.Read(ref _missed);

    /// <summary>Records of other sites that never came.</summary>
    public long Lost => Volatile.Read(ref _lost);

    /// <summary>Messages of other sites that the group here does not take: too long.</summary>
    public long Refused => Volatile.Read(ref _refused);

    /// <summary>Messages that a gateway that stands by kept no longer.</summary>
    public long LetGo => Volatile.Read(ref _letGo);

    /// <summary>Counts a message that was read.</summary>
    public void OnForwarded() => Interlocked.Increment(ref _forwarded);

    /// <summary>Counts a message that was published.</summary>
    public void OnPublished() => Interlocked.Increment(ref _published);

    /// <summary>Counts messages that the others do not get.</summary>
    public void OnMissed(ulong count) => Interlocked.Add(ref _missed, (long)Math.Min(count, int.MaxValue));

    /// <summary>Counts records that never came.</summary>
    public void OnLost(ulong count) => Interlocked.Add(ref _lost, (long)Math.Min(count, int.MaxValue));

    /// <summary>Counts messages that are kept no longer.</summary>
    public void OnLetGo(ulong count) => Interlocked.Add(ref _letGo, (long)Math.Min(count, int.MaxValue));

    /// <summary>Counts a message that is too long here.</summary>
    public void OnRefused() => Interlocked.Increment(ref _refused);
}
