using QuickSilver.WideArea;

namespace QuickSilver.Cli.Doctor;

/// <summary>Whether the gateway of this site reaches the others, and how its links are.</summary>
internal sealed class SitesCheck : ICheck
{
    // Below this share parity costs more than losses do.
    private const double MuchLoss = 0.02;
    private const string SeeSites = "'quicksilver sites' at the sites between shows which link is down.";
    private const string LinkRemedy = "Let its transport through the firewalls, both ways, to the port of the "
        + "gateway's Listen. Compare KeyFile, Overlay and Links of both gateways; their logs say what was refused.";

    /// <inheritdoc/>
    public string Name => "sites";

    /// <inheritdoc/>
    public IEnumerable<Finding> Look(Scene scene)
    {
        if (scene.Sites.Count == 0)
        {
            yield return Finding.Note("No gateway of a site was heard: groups stay within this cluster.");
            yield break;
        }
        bool isGood = true;
        foreach (SiteRoute site in scene.Sites)
        {
            foreach (Finding finding in Judge(site))
            {
                isGood = false;
                yield return finding;
            }
        }
        if (isGood) yield return Finding.Good($"The gateway reaches {string.Join(", ", scene.Sites.Select(NameOf))}.");
    }

    private static IEnumerable<Finding> Judge(SiteRoute site)
    {
        bool isDown = site.Link is not null && site.Link.State != SiteLinkState.Up;
        if (site.Via is null)
        {
            yield return Finding.Trouble(
                $"Site '{site.Site}' is not reached{(isDown ? $": the {Carrier(site)} link to it is down" : "")}.",
                isDown ? LinkRemedy : SeeSites);
        }
        else if (isDown)
        {
            yield return Finding.Trouble(
                $"The {Carrier(site)} link to site '{site.Site}' is down; messages go by '{site.Via}'.", LinkRemedy);
        }
        else if (site.Link?.Loss >= MuchLoss)
        {
            yield return Finding.Note(
                FormattableString.Invariant($"The link to site '{site.Site}' loses {site.Link.Loss:P1} of packets."),
                "ParityEvery of the link has most of them rebuilt without a round trip, for a share of its rate.");
        }
    }

    private static string Carrier(SiteRoute site) => site.Link!.Transport == SiteLinkTransport.Tcp ? "TCP" : "UDP";

    private static string NameOf(SiteRoute site) => $"'{site.Site}'";
}
