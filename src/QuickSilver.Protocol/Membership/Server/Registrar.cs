using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Answers registrations. Admits new nodes, readmits those whose connection broke, requests reports from those of a
/// lost server, and lets a restarted process replace its former life. Refuses the rest with a reason. Core thread only.
/// <para>
/// Every member knows the numbers, incarnations and addresses of the others. So a returning node proves its identity by
/// the secret of its welcome. A process without one cannot replace a node whose connection stands
/// (<see cref="HeldHellos"/>).
/// </para>
/// </summary>
/// <param name="parts">The server's state.</param>
/// <param name="watch">Watches the admitted nodes.</param>
/// <param name="sight">Knows which nodes are silent.</param>
/// <param name="succession">Takes survivors over.</param>
/// <param name="remove">Removes a node.</param>
/// <param name="giveUp">Gives this server's young cluster up for the older one of the survivors that are
/// passed.</param>
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

    /// <summary>Takes a frame of a connection that belongs to no node.</summary>
    public void OnFrame(long connection, ReadOnlySpan<byte> frame, Instant now)
    {
        if (parts.Connections.TryTakeReporting(connection, out HelloFrame? returning))
            OnReport(connection, returning!, frame, now);
        else if (HelloFrame.TryRead(frame, parts.Settings.Versions) is { } hello)
            OnHello(connection, hello, now);
        else
            parts.Connections.Close(connection, MembershipRefusal.BadFrame);
    }

    private void OnHello(long connection, HelloFrame hello, Instant now)
    {
        if (hello.Instance != 0 && hello.Instance == parts.ServerEpoch.GivenUpInstance)
        {
            parts.Connections.Send(connection, _frame.Begin(FrameKind.Forget).Span);
            parts.Connections.Close(connection, MembershipRefusal.None);
            return;
        }
        NetAddress pool = parts.Settings.MulticastFirst;
        // Nobody joins groups of the other family.
        if (hello.Multicast && pool != default && pool.IsIPv6 != hello.Control.Address.IsIPv6)
            hello = hello with { Multicast = false };
        string identity = parts.Connections.IdentityOf(connection);
        MembershipRefusal refusal = Judge(hello, identity, now, out ServerNode? known);
        if (refusal == MembershipRefusal.None && !HasCipher(hello, known)) refusal = MembershipRefusal.NoCommonCipher;
        if (refusal == MembershipRefusal.None && !parts.Claims.IsGood(connection, hello, known))
            refusal = MembershipRefusal.ForeignAddress;
        if (refusal == MembershipRefusal.None && parts.Claims.IsOfOtherFamily(hello, known))
            refusal = MembershipRefusal.OtherFamily;
        if (refusal != MembershipRefusal.None)
        {
            Refuse(connection, refusal);
            return;
        }
        if (known is not null && hello.Number.IsNone && !Held.MayReplace(known, identity, now))
        {
            Held.Hold(connection, hello, now);
            return;
        }
        bool isNewLife = known is not null && hello.Number.IsNone
            && (hello.Control != known.Info.Control || hello.Incarnation > known.Info.Incarnation);
        if (isNewLife)
        {
            parts.Settings.Probes.Reached("a node registers on the address of one that still counts as alive");
            remove(known!, MembershipRefusal.Replaced, now);
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
            ServerNode newcomer = parts.Nodes.Add(hello, identity, parts.ServerEpoch.Epoch, parts.Pipeline.Last);
            Attach(connection, newcomer, false, now);
            parts.Monitors.OnAdmitted(newcomer);
            succession.OnCome(newcomer, now);
        }
        else Resume(connection, known, hello.Received, now);
    }

    /// <summary>Judges a registration, and finds the node that it comes from or replaces.</summary>
    private MembershipRefusal Judge(HelloFrame hello, string identity, Instant now, out ServerNode? known)
    {
        known = null;
        if (hello.ClusterName != parts.Settings.ClusterName) return MembershipRefusal.WrongCluster;
        MembershipRefusal misfit = HelloFrame.Judge(
            hello.Versions, hello.IsSealed, parts.Versions, parts.Settings.Crypto is not null);
        if (misfit != MembershipRefusal.None) return misfit;
        if (!MayBeNamed(hello.NodeName, identity)) return MembershipRefusal.ForeignName;
        if (hello.Number.IsNone)
        {
            known = parts.Nodes.Find(hello.Control);
            if (known is null && (known = FindFormerLife(hello, identity, now)) is not null)
                return MembershipRefusal.None;
            if (known is null) return JudgeRoom(identity);

            // The same life without a number never received its welcome. It may get the number again, unless the number
            // was used already: then it is another process.
            bool isSame = hello.Incarnation == known.Info.Incarnation && known.Received == 0;
            bool isLater = hello.Incarnation > known.Info.Incarnation;
            return isSame || isLater ? MembershipRefusal.None : MembershipRefusal.Replaced;
        }
        ulong electorate = parts.Settings.Electorate;
        if (electorate != 0 && hello.Electorate != 0 && hello.Electorate != electorate)
            return MembershipRefusal.OtherCluster;
        if (succession.MayGiveUpFor(hello, now)) return MembershipRefusal.None;
        known = parts.Nodes.Find(hello.Number.Key);
        if (known is null && succession.CanTakeOver(hello))
            return JudgeRoom(identity);
        bool isAnother = known is null
            || known.Info.Number != hello.Number
            || known.Info.Control != hello.Control
            || known.Info.Incarnation != hello.Incarnation;
        bool isHere = hello.Instance == parts.ServerEpoch.Instance;
        if (isAnother) return isHere ? MembershipRefusal.Removed : MembershipRefusal.OtherCluster;
        // It returns to this server, or it was taken over and has not read the welcome yet.
        UInt128 secret = hello.Session == parts.ServerEpoch.Epoch ? known!.Secret : known!.BroughtSecret;
        return secret == hello.Secret ? MembershipRefusal.None : MembershipRefusal.Unproven;
    }

    private void Refuse(long connection, MembershipRefusal refusal)
    {
        if (refusal == MembershipRefusal.WrongVersion) parts.Connections.Refuse(connection, parts.Versions);
        else parts.Connections.Refuse(connection, refusal);
    }

    private bool HasCipher(HelloFrame hello, ServerNode? known) =>
        parts.Settings.Crypto is null || parts.Nodes.Ciphers.HaveOneWith(hello.Ciphers, known?.Ciphers);

    private MembershipRefusal JudgeRoom(string identity)
    {
        if (parts.Nodes.IsFull) return MembershipRefusal.Full;
        bool isTooMany = identity.Length > 0 && parts.Nodes.CountOf(identity) >= parts.Settings.MaxNodesOfIdentity;
        return isTooMany ? MembershipRefusal.TooManyNodes : MembershipRefusal.None;
    }

    // A slash is in no host name, and after it each process of an identity has a name of its own.
    private bool MayBeNamed(string name, string identity) =>
        !parts.Settings.BindsNames || identity.Length == 0 || name == identity
            || (name.Length > identity.Length && name[identity.Length] == '/'
                && name.StartsWith(identity, StringComparison.Ordinal));

    /// <summary>
    /// Finds the node whose process was restarted, at another port or on another machine. It has the same name and
    /// identity. It has no connection, or the same address and is silent. Names need not be unique, so at most one node
    /// is replaced, and never one that is in sight.
    /// </summary>
    private ServerNode? FindFormerLife(HelloFrame hello, string identity, Instant now)
    {
        if (hello.NodeName.Length == 0) return null;
        foreach (ServerNode node in parts.Nodes.Named(hello.NodeName))
        {
            if (node.Identity != identity) continue;
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
        string identity = parts.Connections.IdentityOf(connection);
        MembershipRefusal refusal = Judge(hello, identity, now, out ServerNode? known);
        if (refusal == MembershipRefusal.None && !HasCipher(hello, known)) refusal = MembershipRefusal.NoCommonCipher;
        if (refusal == MembershipRefusal.None && !parts.Connections.MayKeep(connection, hello.NodeName, report))
            refusal = MembershipRefusal.NotAllowed;
        if (refusal == MembershipRefusal.None && succession.MayGiveUpFor(hello, now))
        {
            if (succession.Claim(connection, hello, frame.ToArray(), report, now) is { } survivors)
                giveUp(survivors, now);
            return;
        }
        if (refusal == MembershipRefusal.None && known is not null)
        {
            Welcome(connection, known, now);
            return;
        }
        if (refusal == MembershipRefusal.None && succession.IsTooLate(now) && report.IsEmpty)
        {
            // It was in no group: it registers again under another number, without effect on others.
            parts.Connections.Send(connection, _frame.Begin(FrameKind.Forget).Span);
            parts.Connections.Close(connection, MembershipRefusal.None);
            return;
        }
        if (refusal == MembershipRefusal.None && !succession.TryBegin(hello, report, now))
            refusal = MembershipRefusal.Removed;
        if (refusal != MembershipRefusal.None)
        {
            Refuse(connection, refusal);
            return;
        }
        ServerNode survivor = succession.TakeOver(hello, identity, report, now);
        Attach(connection, survivor, false, now);
        parts.Monitors.OnAdmitted(survivor);
        succession.OnRegistered(now);
    }

    /// <summary>
    /// Repeats a lost welcome to a node that was taken over: it has received nothing since, and sent only its report.
    /// </summary>
    private void Welcome(long connection, ServerNode node, Instant now)
    {
        Debug.Assert(node.IsInherited, "only a node that was taken over gets its welcome again");
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
        Debug.Assert(!node.Info.IsRemoved, "a removed node does not return");
        Debug.Assert(node.Connection is null, "the former connection is closed");
        if (node.Watch is null) watch.Begin(node);
        parts.Connections.Bind(connection, node);
        watch.OnConnected(node, now);
        ServerEpoch serverEpoch = parts.ServerEpoch;
        var welcome = new WelcomeFrame(
            serverEpoch.Epoch,
            node.Info.Number,
            serverEpoch.GroupEpoch,
            serverEpoch.Instance,
            node.BaseStep,
            node.Received,
            resumed,
            node.Secret,
            node.Identity);
        welcome.WriteTo(_frame);
        parts.Connections.Send(connection, _frame.Span);
        parts.Hold.ReportTo(connection);
    }
}
