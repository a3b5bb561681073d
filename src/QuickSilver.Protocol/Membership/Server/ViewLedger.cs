using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Tracks the permissions to send in each region view, the nodes that are done with it, and its retirement.
/// <para>
/// A node may send in a view while the view is current and the node's region is a neighbour of the view's region, or
/// the node publishes to a group of it. Its permission ends with the step that replaces the view, or with the step in
/// which the node leaves the last such group. A later step may permit the node in the same view again.
/// </para>
/// <para>
/// "Done" means that all messages the node bound in the view are stable, and that it binds no others there. So it is
/// meaningful only after the permission has ended. Reports carry the last step that the node had installed. A report
/// counts if that step is not older than the step that last ended the node's permission, and no permission was given
/// since. So a report that crosses a new permission on the wire is void, and the node reports again after that one
/// ends.
/// </para>
/// <para>
/// A view that is not current retires when every node ever permitted in it is done, or removed with its stream closed
/// at every live member. Members are permitted too, and a node can only be done with a view whose end it has installed.
/// So every live member has installed the end. The view's place in its region and its address are released then. A view
/// without a live member waits for no node.
/// </para>
/// </summary>
/// <param name="serverEpoch">The epoch of the views.</param>
/// <param name="nodes">Receive the notifications.</param>
/// <param name="regions">Forgets regions that are gone.</param>
/// <param name="groups">Forgets groups that no region names.</param>
/// <param name="pool">The multicast addresses.</param>
/// <param name="secrets">Draws the secrets of views; null when the cluster is not secured.</param>
/// <param name="probes">Hooks of simulator tests.</param>
internal sealed class ViewLedger(
    ServerEpoch serverEpoch,
    NodeTable nodes,
    RegionCalculator regions,
    ServerGroups groups,
    AddressPool pool,
    ViewSecrets? secrets,
    Probes probes)
{
    private readonly List<ServerView> _unretired = [];
    private readonly Dictionary<uint, ServerView> _byNumber = [];
    private readonly FrameBuilder _frame = new();
    private uint _lastNumber;

    /// <summary>Views that have not retired, current ones included, oldest first.</summary>
    public IReadOnlyList<ServerView> Unretired => _unretired;

    /// <summary>Views retired since the start.</summary>
    public ulong Retired { get; private set; }

    /// <summary>
    /// Replaces a region's view. Members that stay keep their order, so that leaders stay leaders; those that join
    /// follow by number. A region without nodes gets no new view.
    /// </summary>
    public void Replace(ServerRegion region, ulong step)
    {
        Debug.Assert(!region.IsForgotten, "a forgotten region gets no view");
        Debug.Assert(
            region.Current is not { } current || (current.EndStep == 0 && current.FirstStep < step),
            "the current view is of an earlier step");
        ServerView? last = region.Current;
        if (last is not null) last.EndStep = step;
        region.Current = null;
        if (region.Population == 0) return;
        var members = new List<ServerNode>(region.Population);
        var removed = new List<int>();
        for (int index = 0; last is not null && index < last.Members.Length; index++)
        {
            ServerNode member = last.Members[index];
            if (member.Region == region && !regions.HasMoved(member)) members.Add(member);
            else removed.Add(index);
        }
        int firstAdded = members.Count;
        members.AddRange(region.Joiners);
        var byNumber = Comparer<ServerNode>.Create((a, b) => a.Info.Number.CompareTo(b.Info.Number));
        members.Sort(firstAdded, members.Count - firstAdded, byNumber);
        bool isMerged = members.Exists(member => member.Home != region);
        var view = new ServerView(++_lastNumber, region, step, [.. members])
        {
            Homes = isMerged ? members.ConvertAll(static member => member.Home!).ToArray() : null,
            RemovedIndices = [.. removed],
            Secret = secrets?.Draw(),
            FirstAdded = firstAdded,
        };
        region.Current = view;
        region.Unretired.Add(view);
        _unretired.Add(view);
        _byNumber.Add(view.Number, view);
    }

    /// <summary>
    /// Permits the members of all neighbours, and the publishers of its groups, in a view that begins. Its version is
    /// the newest that all of them speak, its cipher the preferred one of those that all of them have. It gets an
    /// address if all of them can use multicast. A view of one member needs none: what is sent to it is one copy. Call
    /// after all views of the step were replaced.
    /// </summary>
    public void Open(ServerView view, Instant now)
    {
        Debug.Assert(view.Region.Current == view && view.EndStep == 0, "the view is current");
        view.Made = now;
        view.Version = nodes.Spoken.Newest;
        bool multicast = !pool.IsEmpty && view.Members.Length > 1;
        SealCiphers? common = null;
        foreach (ServerRegion neighbour in view.Region.Neighbours)
        {
            foreach (ServerNode sender in neighbour.Current!.Members)
            {
                Admit(sender);
            }
        }
        foreach (ServerNode sender in view.Region.Senders) Admit(sender);
        if (multicast) (view.Multicast, view.AddressIndex) = pool.Take(now);
        if (secrets is null || common is null) return;
        view.Cipher = common.Value.Preferred;
        Debug.Assert(view.Cipher != SealCipher.None, "a node that has no cipher of the others is refused");

        void Admit(ServerNode sender)
        {
            Permit(view, sender);
            view.Version = Math.Min(view.Version, sender.Versions.Newest);
            multicast &= sender.Multicast;
            common = common is { } others ? others & sender.Ciphers : sender.Ciphers;
        }
    }

    /// <summary>True when a node has the cipher of a view.</summary>
    public static bool HasCipher(ServerView view, ServerNode node) =>
        view.Cipher == SealCipher.None || node.Ciphers.Contains(view.Cipher);

    /// <summary>Permits a node in a view; an earlier report that it is done becomes void.</summary>
    public static void Permit(ServerView view, ServerNode node)
    {
        Debug.Assert(HasCipher(view, node), "a view is renewed for a node that lacks its cipher");
        view.Permitted.Add(node.Slot);
        view.Sending.Add(node.Slot);
        view.Awaited.Add(node.Slot);
    }

    /// <summary>The newest version that all nodes speak that may send in a view. O(nodes).</summary>
    public byte NewestIn(ServerView view)
    {
        byte newest = nodes.Spoken.Newest;
        for (int slot = view.Sending.Next(0); slot >= 0; slot = view.Sending.Next(slot + 1))
            newest = Math.Min(newest, nodes.At(slot).Versions.Newest);
        return newest;
    }

    /// <summary>True when all nodes that may send in a view could have a better one. O(nodes).</summary>
    public bool IsBehind(ServerView view) =>
        view.Version < NewestIn(view) || (view.Cipher != SealCipher.None && view.Cipher < BestCipherIn(view));

    private SealCipher BestCipherIn(ServerView view)
    {
        var common = new SealCiphers(byte.MaxValue);
        for (int slot = view.Sending.Next(0); slot >= 0; slot = view.Sending.Next(slot + 1))
            common &= nodes.At(slot).Ciphers;
        return common.Preferred;
    }

    /// <summary>Ends a node's permission in a view that stays current.</summary>
    public static void Forbid(ServerView view, ServerNode node, ulong step)
    {
        view.Sending.Remove(node.Slot);
        view.LostIn[node.Key] = step;
    }

    /// <summary>
    /// A node that has installed <paramref name="step"/> reports that it is done with a view. Reports on views that it
    /// does not know, or that are void, have no effect.
    /// </summary>
    /// <returns>True when the view retired.</returns>
    public bool OnDone(ServerNode node, uint number, ulong step, Instant now)
    {
        Debug.Assert(!node.Info.IsRemoved, "frames of removed nodes are not read");
        if (!_byNumber.TryGetValue(number, out ServerView? view) || !view.Awaited.Contains(node.Slot)) return false;
        ulong end = view.Sending.Contains(node.Slot) ? view.EndStep : view.LostIn[node.Key];
        if (end == 0 || step < end)
        {
            probes.Reached("a node is done with a view in which it is permitted again");
            return false;
        }
        view.Awaited.Remove(node.Slot);
        return TryRetire(view, now);
    }

    /// <summary>The view of a number, unless it has retired.</summary>
    public ServerView? Find(uint number) => _byNumber.GetValueOrDefault(number);

    /// <summary>
    /// A member reports that the streams of removed senders to a view are closed at it. A report that is not awaited
    /// has no effect.
    /// </summary>
    /// <returns>True when the view retired.</returns>
    public bool OnClosed(ServerNode node, uint number, ulong[] senders, Instant now)
    {
        Debug.Assert(!node.Info.IsRemoved, "frames of removed nodes are not read");
        if (!_byNumber.TryGetValue(number, out ServerView? view)) return false;
        foreach (ulong sender in senders)
        {
            if (!view.Open.TryGetValue(sender, out NodeBits? open)) continue;
            if (open.Remove(node.Slot) && open.Count == 0) view.Open.Remove(sender);
        }
        bool retired = TryRetire(view, now);
        if (retired) probes.Reached("a view retires that waited for a removed sender's stream");
        return retired;
    }

    /// <summary>
    /// A removed node gets no notifications. Views no longer wait for it, except for the closing of its streams at
    /// their live members.
    /// </summary>
    public void OnRemoved(ServerNode node, Instant now)
    {
        Debug.Assert(node.Info.IsRemoved, "the node is removed");
        foreach (ServerView view in _unretired)
        {
            foreach (ulong sender in (List<ulong>)[.. view.Open.Keys])
            {
                NodeBits open = view.Open[sender];
                if (open.Remove(node.Slot) && open.Count == 0) view.Open.Remove(sender);
            }
            if (view.Permitted.Contains(node.Slot)) AwaitClosing(view, node);
            view.Permitted.Remove(node.Slot);
            view.Sending.Remove(node.Slot);
            view.Awaited.Remove(node.Slot);
        }
        RetireAll(now);
    }

    /// <summary>
    /// Retires the views that wait for no node: views that ended when none of their senders was left.
    /// </summary>
    public void RetireAll(Instant now)
    {
        for (int index = 0; index < _unretired.Count;)
        {
            if (!TryRetire(_unretired[index], now)) index++;
        }
    }

    private static void AwaitClosing(ServerView view, ServerNode sender)
    {
        var open = new NodeBits();
        foreach (ServerNode member in view.Members)
        {
            if (member != sender && !member.Info.IsRemoved) open.Add(member.Slot);
        }
        if (open.Count > 0) view.Open[sender.Key] = open;
    }

    private bool TryRetire(ServerView view, Instant now)
    {
        if (view.EndStep == 0 || view.Awaited.Count + view.Open.Count > 0) return false;
        _unretired.Remove(view);
        _byNumber.Remove(view.Number);
        view.Region.Unretired.Remove(view);
        Retired++;
        if (view.Secret is { } secret) System.Security.Cryptography.CryptographicOperations.ZeroMemory(secret);
        probes.Reached(
            view.Region.Unretired.Count > 0
                ? "an old view of a region retires"
                : "the last view of a region without nodes retires");
        if (view.AddressIndex >= 0) pool.Release(view.AddressIndex, now);
        regions.Forget(view.Region);
        Notify(view);
        groups.ForgetIdle(nodes, now);
        return true;
    }

    private void Notify(ServerView view)
    {
        if (view.Permitted.Count == 0) return;
        byte[] frame = _frame.Begin(FrameKind.Retired).WriteEpoch(serverEpoch.Epoch).WriteVarint(view.Number).ToArray();
        for (int slot = view.Permitted.Next(0); slot >= 0; slot = view.Permitted.Next(slot + 1))
            nodes.Send(nodes.At(slot), frame);
    }
}
