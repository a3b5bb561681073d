using System.Diagnostics;
using System.Globalization;
using Microsoft.Extensions.Logging;
using QuickSilver.Diagnostics;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Runtime;

/// <summary>
/// Reports delays of the core thread to the log and as events. The cause is application code, by the name of its group,
/// or something else. Events are raised at most once a second, separately for loud and quiet delays. The log has the
/// first delay of a cause at once, and the others of the next minute as one sum: nobody can act on each of them.
/// <para>
/// A delay is quiet, a debug record, when it needs no action: it is shorter than a tenth of a second. In the node's
/// first five seconds, while the runtime compiles code, the limit is a second.
/// </para>
/// Core thread only.
/// </summary>
internal sealed class StallReports : IStallObserver
{
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(1);

    private static readonly TimeSpan SumPeriod = TimeSpan.FromMinutes(1);
    private const int MostSums = 64;

    private static readonly TimeSpan Loud = TimeSpan.FromSeconds(0.1);
    private static readonly TimeSpan LoudAtFirst = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan First = TimeSpan.FromSeconds(5);

    private readonly NodeServices _services;
    private readonly Instant _started;
    private bool _wasUserCode;
    private Instant _notBefore;
    private Instant _quietNotBefore;
    private readonly Dictionary<(string Cause, LogLevel Level), Sum> _sums = [];

    /// <summary>Creates the reports, and observes user code from now on.</summary>
    public StallReports(NodeServices services)
    {
        _services = services;
        _started = services.Clock.Now;
        services.UserCode.Stalled = OnUserStall;
    }

    /// <inheritdoc/>
    public void OnStall(TurnPhase phase, TimeSpan took, Instant now)
    {
        _services.UserCode.EndRun();
        if (!_wasUserCode) Report(ToLoopPhase(phase), took, null, now);
    }

    /// <summary>Ends the timing of the user code called in this turn.</summary>
    public void OnTurnEnded()
    {
        _services.UserCode.EndRun();
        _wasUserCode = false;
    }

    /// <summary>Converts a phase of a turn to its public name.</summary>
    internal static LoopPhase ToLoopPhase(TurnPhase phase) => phase switch
    {
        TurnPhase.Requests => LoopPhase.Requests,
        TurnPhase.Io => LoopPhase.Io,
        TurnPhase.Alarms => LoopPhase.Alarms,
        TurnPhase.Pull => LoopPhase.Pull,
        _ => throw new UnreachableException($"A turn has no phase {phase}."),
    };

    private void OnUserStall(LoopPhase phase, TimeSpan took, string groupName)
    {
        _wasUserCode = true;
        Report(phase, took, groupName, _services.Clock.Now);
    }

    private void Report(LoopPhase phase, TimeSpan took, string? groupName, Instant now)
    {
        bool isLoud = took >= (now - _started < First ? LoudAtFirst : Loud);
        LogStall(phase, took, groupName, isLoud ? LogLevel.Warning : LogLevel.Debug, now);
        ref Instant notBefore = ref (isLoud ? ref _notBefore : ref _quietNotBefore);
        if (now < notBefore) return;
        notBefore = now + Pause;
        _services.Events.Post(new CoreStalled(phase, took, groupName));
    }

    private void LogStall(LoopPhase phase, TimeSpan took, string? groupName, LogLevel level, Instant now)
    {
        string cause = groupName is null
            ? "not by the application's code: processors were busy, or the runtime compiled"
            : $"by code for '{groupName}'";
        bool isKnown = _sums.TryGetValue((cause, level), out Sum sum);
        if (isKnown && now < sum.Until)
        {
            _sums[(cause, level)] = sum with
            {
                Count = sum.Count + 1,
                Longest = took > sum.Longest ? took : sum.Longest,
            };
            return;
        }
        if (!isKnown && _sums.Count == MostSums) _sums.Clear();
        _sums[(cause, level)] = new Sum(now + SumPeriod, 0, TimeSpan.Zero);
        if (sum.Count > 0)
        {
            string longest = sum.Longest.TotalSeconds.ToString("0.00", CultureInfo.InvariantCulture);
            cause += $"; and {sum.Count} times more since the last such record, {longest} s at most";
        }
        _services.Log.Post(
            (level, _services.Name, took, phase, cause),
            static (logger, s) => Log.Stalled(logger, s.level, s.Name, s.took, s.phase, s.cause));
    }

    private readonly record struct Sum(Instant Until, long Count, TimeSpan Longest);
}
