using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Answers registrations: admits new nodes, takes back those whose connection broke, asks those of a lost server for a report, lets a restarted
/// process replace its former life, and refuses the rest with a reason. Core thread only.
/// <para>
/// Numbers, incarnations and addresses of members are known to every member. So a node that returns proves itself by the secret of its welcome, and a
/// process that has none takes nobody's place whose connection stands (<see cref="HeldHellos"/>).
/// </para>
/// </summary>
/// <param name="parts">The server's state.</param>
/// <param name="watch">Watches over those admitted.</param>
/// <param name="sight">Knows who is silent.</param>
/// <param name="succession">Takes survivors over.</param>
/// <param name="remove">Takes a node out.</param>
/// <param name="giveUp">Gives the young cluster of this server up for the older one that survivors' registrations and reports tell of.</param>
internal sealed class Registrar(
    ServerParts parts,
    FailureDetector watch,
    QuorumLossGuard sight,
    Succession succession,
    Action<ServerNode, MembershipRefusal, Instant> remove,
    Action<List<(long Connection, HelloFrame Hello, byte[] Report)>, Instant> giveUp)
{
    private readonly FrameBuilder _frame = new();
    private HeldHellos? _held;

    private HeldHellos Held => _held ??= new HeldHellos(parts, sight, OnHello);

    /// <summary>Cancels the timer.</summary>
    public void Stop() => _held?.Stop();

    /// <summary>A frame came by a connection that belongs to no node.</summary>
    public void OnFrame(long connection, ReadOnlySpan<byte> frame, Instant now)
    {
        if (parts.Connections.TryTakeReporting(connection, out HelloFrame? returning)) OnReport(connection, returning!, frame, now);
        else if (HelloFrame.TryRead(frame) is { } hello) OnHello(connection, hello, now);
        else parts.Connections.Close(connection, MembershipRefusal.BadFrame);
    }

    private void OnHello(long connection, HelloFrame hello, Instant now)
    {
        if (hello.Instance != 0 && hello.Instance == parts.ServerEpoch.GivenUpInstance)
        {
            parts.Connections.Send(connection, _frame.Begin(FrameKind.Forget).Span);
            parts.Connections.Close(connection, MembershipRefusal.None);
            return;
        }
        MembershipRefusal refusal = Judge(hello, now, out ServerNode? known);
        if (refusal == MembershipRefusal.None && !parts.Claims.IsGood(connection, hello, known)) refusal = MembershipRefusal.ForeignAddress;
        if (refusal != MembershipRefusal.None)
        {
            parts.Connections.Refuse(connection, refusal);
            return;
        }
        if (known is not null && hello.Number.IsNone && !Held.MayReplace(known, now))
        {
            Held.Hold(connection, hello, now);
            return;
        }
        if (known is not null && hello.Number.IsNone && (hello.Control != known.Info.Control || hello.Incarnation > known.Info.Incarnation))
        {
            parts.Settings.Probes.Hit(Mark.NodeReplacedByRestart);
            remove(known, MembershipRefusal.Replaced, now);
            known = null;
        }
        bool isFromOther = !hello.Number.IsNone && hello.Session != parts.ServerEpoch.Epoch;
        if (known is not null && isFromOther) Welcome(connection, known, now);
        else if (isFromOther)
        {
            parts.Connections.AwaitReport(connection, hello);
            parts.Connections.Send(connection, _frame.Begin(FrameKind.ReportRequest).Span);
        }
        else if (known is null)
        {
            succession.OnNewcomer(now);
            ServerNode newcomer = parts.Nodes.Add(hello, parts.ServerEpoch.Epoch, parts.Pipeline.Last);
            Attach(connection, newcomer, false, now);
            succession.OnCome(newcomer, now);
        }
        else Resume(connection, known, hello.Received, now);
    }

    /// <summary>Decides about a registration, and finds the node that it comes from, or that it replaces.</summary>
    private MembershipRefusal Judge(HelloFrame hello, Instant now, out ServerNode? known)
    {
        known = null;
        if (hello.ClusterName != parts.Settings.ClusterName) return MembershipRefusal.WrongCluster;
        if (hello.SpokenVersion != HelloFrame.Version) return MembershipRefusal.WrongVersion;
        if (hello.Number.IsNone)
        {
            known = parts.Nodes.Find(hello.Control);
            if (known is null && (known = FindFormerLife(hello, now)) is not null) return MembershipRefusal.None;
            if (known is null) return parts.Nodes.IsFull ? MembershipRefusal.Full : MembershipRefusal.None;

            // The same life without a number never saw its welcome. It may have it again, unless the number was used already: then
            // it is another process.
            bool isSame = hello.Incarnation == known.Info.Incarnation && known.Received == 0;
            return isSame || hello.Incarnation > known.Info.Incarnation ? MembershipRefusal.None : MembershipRefusal.Replaced;
        }
        if (succession.MayGiveUpFor(hello, now)) return MembershipRefusal.None;
        known = parts.Nodes.Find(hello.Number.Key);
        if (known is null && succession.CanTakeOver(hello)) return parts.Nodes.IsFull ? MembershipRefusal.Full : MembershipRefusal.None;
        bool isAnother = known is null
            || known.Info.Number != hello.Number
            || known.Info.Control != hello.Control
            || known.Info.Incarnation != hello.Incarnation;
        if (isAnother) return hello.Instance == parts.ServerEpoch.Instance ? MembershipRefusal.Removed : MembershipRefusal.OtherCluster;
        // It returns to this server; or it was taken over, and has not read the welcome yet.
        UInt128 secret = hello.Session == parts.ServerEpoch.Epoch ? known!.Secret : known!.BroughtSecret;
        return secret == hello.Secret ? MembershipRefusal.None : MembershipRefusal.Unproven;
    }

    /// <summary>
    /// The node whose process was restarted, at another port or on another machine: one of the same name without a connection; or at the same address,
    /// and silent. Names need not be unique, so no more than one goes, and never one that is seen.
    /// </summary>
    private ServerNode? FindFormerLife(HelloFrame hello, Instant now)
    {
        if (hello.NodeName.Length == 0) return null;
        foreach (ServerNode node in parts.Nodes.Named(hello.NodeName))
        {
            bool isHere = node.Info.Control.Address == hello.Control.Address;
            if (node.Connection is null || (isHere && sight.IsSilent(node, now))) return node;
        }
        return null;
    }

    private void OnReport(long connection, HelloFrame hello, ReadOnlySpan<byte> frame, Instant now)
    {
        if (ReportFrame.TryRead(frame) is not { } report)
        {
            parts.Connections.Close(connection, MembershipRefusal.BadFrame);
            return;
        }
        MembershipRefusal refusal = Judge(hello, now, out ServerNode? known);
        if (refusal == MembershipRefusal.None && succession.MayGiveUpFor(hello, now))
        {
            if (succession.Claim(connection, hello, frame.ToArray(), report, now) is { } survivors) giveUp(survivors, now);
            return;
        }
        if (refusal == MembershipRefusal.None && known is not null)
        {
            Welcome(connection, known, now);
            return;
        }
        if (refusal == MembershipRefusal.None && succession.IsTooLate(now) && report.IsEmpty)
        {
            // It was in no group: it registers again, under another number, and nobody notices.
            parts.Connections.Send(connection, _frame.Begin(FrameKind.Forget).Span);
            parts.Connections.Close(connection, MembershipRefusal.None);
            return;
        }
        if (refusal == MembershipRefusal.None && !succession.TryBegin(hello, report, now)) refusal = MembershipRefusal.Removed;
        if (refusal != MembershipRefusal.None)
        {
            parts.Connections.Refuse(connection, refusal);
            return;
        }
        Attach(connection, succession.TakeOver(hello, report, now), false, now);
        succession.OnRegistered(now);
    }

    /// <summary>The node was taken over, and the welcome lost: it has taken nothing since, and sent nothing but its report.</summary>
    private void Welcome(long connection, ServerNode node, Instant now)
    {
        parts.Connections.Detach(node);
        Attach(connection, node, false, now);
        foreach (byte[] frame in node.Log.Unconfirmed) parts.Connections.Send(connection, frame);
    }

    private void Resume(long connection, ServerNode node, ulong received, Instant now)
    {
        if (!node.Log.TryResume(received))
        {
            parts.Connections.Refuse(connection, MembershipRefusal.BadFrame);
            return;
        }
        parts.Connections.Detach(node);
        Attach(connection, node, true, now);
        foreach (byte[] frame in node.Log.Unconfirmed) parts.Connections.Send(connection, frame);
    }

    private void Attach(long connection, ServerNode node, bool resumed, Instant now)
    {
        if (node.Watch is null) watch.Begin(node);
        parts.Connections.Bind(connection, node);
        watch.OnConnected(node, now);
        ServerEpoch serverEpoch = parts.ServerEpoch;
        var welcome = new WelcomeFrame(
            serverEpoch.Epoch, node.Info.Number, serverEpoch.GroupEpoch, serverEpoch.Instance, node.BaseStep, node.Received, resumed, node.Secret);
        welcome.WriteTo(_frame);
        parts.Connections.Send(connection, _frame.Span);
        parts.Hold.Tell(connection);
    }
}
