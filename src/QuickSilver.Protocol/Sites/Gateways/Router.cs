using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites.Frames;
using QuickSilver.Protocol.Sites.Links;
using QuickSilver.Protocol.Sites.Overlay;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Gateways;

/// <summary>
/// Which links a record takes from here. It follows the source tree that it names, in the version that it names, and
/// each copy names the sites behind its link. Where that tree is unknown, or a link of it is gone, the remaining sites
/// are reached by this site's own tree: the record then has this site as its root.
/// </summary>
internal sealed class Router(int site, LinkStates states, Link?[] links, GatewayCounters counters)
{
    /// <summary>Links that a record may take.</summary>
    public const int MostHops = 2 * SiteSet.MostSites - 1;

    private const int SiteShift = 32;

    /// <summary>Sends a record towards its targets, this site excepted.</summary>
    public void Forward(RecordHead head, ReadOnlyMemory<byte> payload, Instant now)
    {
        SiteSet rest = head.Targets.Without(site);
        if (rest.IsEmpty) return;
        if (head.Hops <= 1)
        {
            counters.Stranded++;
            return;
        }
        head = head with { Hops = head.Hops - 1 };
        if (states.Find(head.Tree) is { } named) rest = Split(head, payload, named.TreeOf(head.Root), rest, now);
        if (rest.IsEmpty) return;
        counters.Rerouted++;
        head = head with { Root = site, Tree = states.Current.Version };
        rest = Split(head, payload, states.Current.TreeOf(site), rest, now);
        if (!rest.IsEmpty) counters.Stranded++;
    }

    /// <summary>Sends a record of this site.</summary>
    public void Send(RecordHead head, ReadOnlyMemory<byte> payload, Instant now) =>
        Forward(
            head with { Root = site, Tree = states.Current.Version, Hops = MostHops }, payload, now);

    // Gives each child its part, and returns the sites for which there is none.
    private SiteSet Split(RecordHead head, ReadOnlyMemory<byte> payload, SourceTree tree, SiteSet rest, Instant now)
    {
        foreach (int child in tree.ChildrenOf(site))
        {
            SiteSet part = rest & tree.Below(child);
            if (part.IsEmpty || links[child] is not { State: LinkState.Up } link) continue;
            link.Offer(new LinkItem(Write(head with { Targets = part }), payload, FlowOf(head)), now);
            rest = rest.Except(part);
        }
        return rest;
    }

    // A stream; its site is told apart from none.
    private static ulong FlowOf(in RecordHead head) =>
        head.Kind == RecordKind.Message ? ((ulong)(head.Stream.Site + 1) << SiteShift) | head.Stream.Group : 0;

    private static byte[] Write(in RecordHead head)
    {
        Span<byte> bytes = stackalloc byte[RecordHead.MaxLength];
        var writer = new WireWriter(bytes);
        head.Write(ref writer);
        return bytes[..writer.Written].ToArray();
    }
}
