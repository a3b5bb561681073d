using System.Diagnostics;
using Microsoft.Extensions.Logging;
using QuickSilver.Diagnostics;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Runtime;

/// <summary>
/// Reports delays of the core thread to the log and as events. The cause is application code, by the name of its group,
/// or something else. Reports at most once a turn and once a second, separately for loud and quiet delays.
/// <para>
/// A delay is quiet, a debug record, when it needs no action: it is shorter than a tenth of a second. In the node's
/// first five seconds, while the runtime compiles code, the limit is a second.
/// </para>
/// Core thread only.
/// </summary>
internal sealed class StallReports : IStallObserver
{
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(1);

    private static readonly TimeSpan Loud = TimeSpan.FromSeconds(0.1);
    private static readonly TimeSpan LoudAtFirst = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan First = TimeSpan.FromSeconds(5);

    private readonly NodeServices _services;
    private readonly Instant _started;
    private bool _wasUserCode;
    private Instant _notBefore;
    private Instant _quietNotBefore;

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
        ref Instant notBefore = ref (isLoud ? ref _notBefore : ref _quietNotBefore);
        if (now < notBefore) return;
        notBefore = now + Pause;
        string cause = groupName is null
            ? "not by the application's code: processors were busy, or the runtime compiled"
            : $"by code for '{groupName}'";
        LogLevel level = isLoud ? LogLevel.Warning : LogLevel.Debug;
        _services.Log.Post(
            (level, _services.Name, took, phase, cause),
            static (logger, s) => Log.Stalled(logger, s.level, s.Name, s.took, s.phase, s.cause));
        _services.Events.Post(new CoreStalled(phase, took, groupName));
    }
}
