using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Notifies nodes whose joins take longer than a second of the nodes they wait for, once a second. A join that gives up
/// can then name them. Costs a visit to every node a second while any join waits; otherwise nothing. Core thread only.
/// </summary>
internal sealed class JoinNotifier
{
    // How long a join waits before its node is told for what, and the pause between two such words.
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private readonly ServerParts _parts;
    private readonly Succession _succession;
    private readonly Alarm _alarm;
    private readonly FrameBuilder _frame = new();
    private readonly Dictionary<ulong, byte[]> _bySlowStep = [];

    /// <summary>Makes a notifier that is idle until <see cref="OnJoin"/>.</summary>
    public JoinNotifier(ServerParts parts, Succession succession)
    {
        _parts = parts;
        _succession = succession;
        _alarm = new Alarm(parts.Alarms, NotifyAll);
    }

    /// <summary>A node has requested a join.</summary>
    public void OnJoin(Instant now)
    {
        if (!_alarm.IsSet) _alarm.Set(now + Interval);
    }

    /// <summary>Cancels the timer.</summary>
    public void Stop() => _alarm.Cancel();

    private void NotifyAll(Instant now)
    {
        StepPipeline pipeline = _parts.Pipeline;
        bool isAnyWaiting = _succession.IsGathering || pipeline.Installing is not null
            || pipeline.Unsettled.Count > 0 || _parts.Changes.Count > 0;
        if (!isAnyWaiting) return;
        _alarm.Set(now + Interval);
        _bySlowStep.Clear();
        var notified = new HashSet<ServerNode>();
        foreach (MadeStep made in pipeline.Unsettled) NotifyJoiners(made, notified);
        if (pipeline.Installing is { } installing) NotifyJoiners(installing, notified);
        foreach (ServerNode node in _parts.Nodes.Live)
        {
            bool isWaiting = node.WaitingChanges.Count + node.Deferred.Count > 0;
            if (isWaiting && notified.Add(node)) Send(node, FrameFor(node));
        }
    }

    private void NotifyJoiners(MadeStep made, HashSet<ServerNode> notified)
    {
        foreach (ServerNode node in made.Joiners)
        {
            if (notified.Add(node)) Send(node, FrameOf(made));
        }
    }

    private void Send(ServerNode node, byte[]? frame)
    {
        if (frame is not null && node.Connection is { } connection) _parts.Connections.Send(connection, frame);
    }

    private byte[]? FrameFor(ServerNode node)
    {
        if (_succession.IsGathering)
        {
            return Frame(JoinStage.Survivors, _succession.Missing, _succession.NameMissing());
        }
        if (_parts.Pipeline.Installing is { } installing) return FrameOf(installing);
        if (node.HeldBackBy is not { Unretired: [{ } oldest, ..] }) return null;
        return Frame(JoinStage.Drain, oldest.HeldBy());
    }

    private byte[]? FrameOf(MadeStep made)
    {
        if (_bySlowStep.TryGetValue(made.Step, out byte[]? known)) return known;
        byte[]? frame = made.ToInstall.Count > 0
            ? Frame(JoinStage.Install, made.ToInstall)
            : Frame(JoinStage.Switch, made.ToSwitch);
        if (frame is not null) _bySlowStep.Add(made.Step, frame);
        return frame;
    }

    private byte[]? Frame(JoinStage stage, NodeBits nodes)
    {
        // The node that has been silent for longest is the likeliest to hold up the others.
        var found = new List<ServerNode>();
        for (int slot = nodes.Next(0); slot >= 0; slot = nodes.Next(slot + 1)) found.Add(_parts.Nodes.At(slot));
        IEnumerable<ServerNode> first = found.OrderBy(static node => node.LastHeard).Take(JoinWait.MaxNames);
        return Frame(stage, found.Count, first.Select(static node => node.DisplayName));
    }

    private byte[]? Frame(JoinStage stage, int total, IEnumerable<string> names)
    {
        if (total == 0) return null;
        WaitingFrame.Write(_frame, new JoinWait(stage, total, [.. names]));
        return _frame.ToArray();
    }
}
