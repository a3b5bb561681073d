using System.Diagnostics;
using Microsoft.Extensions.Logging;
using QuickSilver.Diagnostics;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Runtime;

/// <summary>
/// Tells the application, by its log and its events, what has held the core thread up: code of its own, by the name of its group, or something else.
/// Once a turn, and once a second at most, what is loud and what is quiet counted apart.
/// <para>
/// A hold-up is quiet, a record for debugging, when nobody need act upon it: it was shorter than a tenth of a second, or shorter than a second in the
/// node's first five, in which the runtime compiles what runs for the first time.
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

    /// <summary>From now on stalls of user code are told too.</summary>
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

    /// <summary>The turn has ended: what user code was called in it is timed.</summary>
    public void OnTurnEnded()
    {
        _services.UserCode.EndRun();
        _wasUserCode = false;
    }

    /// <summary>A part of a turn as events and the log name it.</summary>
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
            (level, _services.Name, took, phase, cause), static (logger, s) => Log.Stalled(logger, s.level, s.Name, s.took, s.phase, s.cause));
        _services.Events.Post(new CoreStalled(phase, took, groupName));
    }
}
