using System.Net;

namespace QuickSilver.Membership;

/// <summary>
/// Decides which events that strangers cause are reported: once a minute for each address and kind, and at most
/// <see cref="MostReports"/> a minute in all, for a stranger may have many addresses. The others are counted only. Any
/// thread.
/// </summary>
internal sealed class ReportPace
{
    /// <summary>The most reports in a minute.</summary>
    public const int MostReports = 32;

    private const long MinuteMilliseconds = 60_000;

    private readonly Lock _lock = new();
    private readonly HashSet<(IPAddress Address, Enum Kind)> _reported = [];
    private long _end = long.MinValue;

    /// <summary>True when an event is to be reported now.</summary>
    /// <param name="address">The address of the other side.</param>
    /// <param name="kind">The kind of event.</param>
    /// <param name="milliseconds">The time, on a clock that does not go back.</param>
    public bool Allows(IPAddress address, Enum kind, long milliseconds)
    {
        lock (_lock)
        {
            if (milliseconds >= _end)
            {
                _reported.Clear();
                _end = milliseconds + MinuteMilliseconds;
            }
            return _reported.Count < MostReports && _reported.Add((address, kind));
        }
    }
}
