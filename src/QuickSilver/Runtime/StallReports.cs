using System.Diagnostics;
using Microsoft.Extensions.Logging;
using QuickSilver.Diagnostics;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Runtime;

/// <summary>
/// Tells the application, by its log and its events, what has held the core thread up: code of its own, by the name of its group, or something else.
/// Once a turn, and once a second at most. Core thread only.
/// </summary>
internal sealed class StallReports : IStallObserver
{
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(1);

    private readonly NodeServices _services;
    private bool _wasUserCode;
    private Instant _notBefore;

    /// <summary>From now on stalls of user code are told too.</summary>
    public StallReports(NodeServices services)
    {
        _services = services;
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
        if (now < _notBefore) return;
        _notBefore = now + Pause;
        string cause = groupName is null
            ? "not by the application's code: processors were busy, or the runtime compiled"
            : $"by code for '{groupName}'";
        // Every runtime compiles for tens of milliseconds when it begins: nothing to be warned of.
        bool isSmall = groupName is null && took < _services.Options.Loop.StallWarning * 10;
        LogLevel level = isSmall ? LogLevel.Information : LogLevel.Warning;
        _services.Log.Post(
            (level, _services.Name, took, phase, cause), static (logger, s) => Log.Stalled(logger, s.level, s.Name, s.took, s.phase, s.cause));
        _services.Events.Post(new StallEvent(phase, took, groupName));
    }
}
