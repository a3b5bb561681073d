using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites;
using QuickSilver.Protocol.Sites.Gateways;
using QuickSilver.WideArea.Diagnostics;
using QuickSilver.WideArea.Groups;
using QuickSilver.WideArea.Links;
using QuickSilver.WideArea.Presence;
using QuickSilver.WideArea.Records;
using QuickSilver.WideArea.Telling;

namespace QuickSilver.WideArea.Running;

/// <summary>What the loop does with the groups that span sites, each turn and ten times a second. Loop thread only.
/// </summary>
internal sealed class GroupTurns(
    GatewayPlan plan, Gateway gateway, SpanningGroup[] groups, ProgressTeller teller, RosterExchange rosters,
    SiteTelling telling, GatewayLog log)
{
    private readonly Confirmer[] _confirmers = [.. groups.Select(
        group => new Confirmer(plan, gateway, group, rosters, telling))];
    private SiteReach _reach = new(default, new ulong[plan.Map.Count]);
    private int _listeners;

    /// <summary>What is known of sites. Any thread.</summary>
    public SiteReach Reach => Volatile.Read(ref _reach);

    /// <summary>Numbers of the groups that other sites are to send to, ascending.</summary>
    public uint[] Wanted() =>
        [.. groups.Where(static group => group.Members is not { AreThere: false })
            .Select(static group => group.Number).Order()];

    /// <summary>Sends what waits and has room, and answers who holds what.</summary>
    public void Turn(Instant now)
    {
        foreach (SpanningGroup group in groups) SendWaiting(group, now);
        foreach (Confirmer confirmer in _confirmers) confirmer.Turn(now);
    }

    /// <summary>Notes what others ask for, and tells what has changed.</summary>
    public void Look(Instant now)
    {
        var reach = new SiteReach(
            gateway.Reached, [.. Enumerable.Range(0, plan.Map.Count).Select(gateway.NodeOf)]);
        if (!reach.IsLike(_reach)) Volatile.Write(ref _reach, reach);
        int listeners = teller.Listeners;
        bool hasChanged = false;
        foreach (SpanningGroup group in groups)
        {
            Note(group);
            TellProgress(group, listeners != _listeners);
            if (group.Members is not { } members || !members.Look()) continue;
            hasChanged = true;
            string name = group.Name, own = plan.Map.NameOf(plan.Site);
            if (members.AreThere) log.Post(logger => Log.HasMembers(logger, own, name));
            else log.Post(logger => Log.HasNoMembers(logger, own, name));
        }
        _listeners = listeners;
        if (hasChanged) gateway.SetGroups(Wanted(), now);
    }

    /// <summary>Tells gateways that stand by the last that has changed.</summary>
    public void TellLast()
    {
        foreach (SpanningGroup group in groups) TellProgress(group, all: false);
    }

    /// <summary>True when something waits and has room.</summary>
    public bool HasWaiting()
    {
        foreach (SpanningGroup group in groups)
        {
            if (!group.Asks.IsEmpty || (!group.Waiting.IsEmpty && gateway.HasRoom(group.Number))) return true;
        }
        return false;
    }

    private void SendWaiting(SpanningGroup group, Instant now)
    {
        RecordPacker packer = group.Packer;
        while (gateway.HasRoom(group.Number))
        {
            if (!packer.IsOpen)
            {
                if (!group.Waiting.TryDequeue(out OutgoingMessage message)) break;
                packer.Begin(message);
                group.Room.Return(message.Cost);
            }
            if (packer.Pack()) group.Sent.OnEnded(packer.Message.From, packer.Message.Sequence);
            else Send(group, now);
        }
        if (packer.HasRecord && gateway.HasRoom(group.Number)) Send(group, now);
    }

    private void Send(SpanningGroup group, Instant now) =>
        group.Sent.OnRecord(gateway.Send(group.Number, group.Packer.Take(), now));

    private void TellProgress(SpanningGroup group, bool all)
    {
        group.Sent.OnLowest(gateway.LowestOf(group.Number));
        if (group.BeginsAnew) return;
        if (group.TakeProgress(all) is { } progress) teller.Tell(progress);
    }

    private void Note(SpanningGroup group)
    {
        group.Kept = gateway.KeptOf(group.Number);
        int slowest = gateway.SlowestOf(group.Number);
        group.SlowSite = slowest < 0 ? null : plan.Map.NameOf(slowest);
        SiteSet members = gateway.MembersOf(group.Number), targets = members & gateway.Reached;
        if (group.Sites.Members != members || group.Sites.Targets != targets)
            group.Sites = new GroupSites(members, targets);
    }
}
