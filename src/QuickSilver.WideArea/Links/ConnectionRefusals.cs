using QuickSilver.WideArea.Diagnostics;

namespace QuickSilver.WideArea.Links;

/// <summary>Counts connections of others that are refused, and tells the log of one a minute. Any thread.</summary>
/// <param name="site">Name of the own site.</param>
/// <param name="log">The log.</param>
internal sealed class ConnectionRefusals(string site, GatewayLog log)
{
    private static readonly long Pause = (long)TimeSpan.FromMinutes(1).TotalMilliseconds;

    private readonly Lock _lock = new();
    private long _count;
    private long _told;
    private long _tellAt = long.MinValue;

    /// <summary>How many were refused.</summary>
    public long Count => Volatile.Read(ref _count);

    /// <summary>One was refused.</summary>
    /// <param name="remote">Where it came from.</param>
    /// <param name="reason">Why, as a clause.</param>
    public void OnRefused(string remote, string reason)
    {
        long more;
        lock (_lock)
        {
            _count++;
            if (Environment.TickCount64 < _tellAt) return;
            more = _count - _told;
            _told = _count;
            _tellAt = Environment.TickCount64 + Pause;
        }
        log.Post(logger => Log.ConnectionRefused(logger, remote, site, reason, more));
    }
}
