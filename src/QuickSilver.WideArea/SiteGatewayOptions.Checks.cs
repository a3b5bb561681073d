using QuickSilver.WideArea.Links;
using QuickSilver.WideArea.Records;
using QuickSilver.WideArea.Telling;

namespace QuickSilver.WideArea;

// What is valid, option by option.
public sealed partial class SiteGatewayOptions
{
    private const int MostPackets = Protocol.Sites.Frames.ParityBody.MostPackets;

    private static void CheckName(OptionErrors errors, string path, string? name)
    {
        if (!Names.IsValid(name))
            errors.Add(
                path, $"is not 1-255 bytes of UTF-8 without control or hidden characters: {Names.Fault(name)}");
    }

    private void CheckLinks(OptionErrors errors)
    {
        bool hasOwn = false;
        var known = new HashSet<(string, string)>();
        for (int index = 0; index < Links.Count; index++)
        {
            string path = $"Links[{index}]";
            if (Links[index] is not { } link)
            {
                errors.Add(path, "is null");
                continue;
            }
            string from = link.From ?? Site;
            CheckName(errors, $"{path}.To", link.To);
            if (link.From is not null) CheckName(errors, $"{path}.From", link.From);
            if (from == link.To) errors.Add($"{path}.To", $"the link leads from '{from}' to itself");
            (string, string) pair = string.CompareOrdinal(from, link.To) < 0 ? (from, link.To) : (link.To, from);
            if (!known.Add(pair)) errors.Add(path, $"the link from '{from}' to '{link.To}' is given twice");
            errors.Defined($"{path}.Transport", link.Transport);
            errors.InRange($"{path}.MaxBytesPerSecond", link.MaxBytesPerSecond, 0, long.MaxValue);
            if (link.ParityEvery != 0) errors.InRange($"{path}.ParityEvery", link.ParityEvery, 2, MostPackets);
            if (link.ParityEvery != 0 && link.Transport == SiteLinkTransport.Tcp)
                errors.Add($"{path}.ParityEvery", "is set, and the link is by TCP, which loses nothing: leave it out");
            if (link.Cost < TimeSpan.Zero || link.Cost > TimeSpan.FromMinutes(1))
                errors.Add($"{path}.Cost", $"{link.Cost} is not between zero and a minute");
            if (from != Site && link.To != Site) continue;
            hasOwn = true;
            CheckTransport(errors, path, link);
            bool isCalled = link.Transport == SiteLinkTransport.Tcp && link.Address is null;
            if (isCalled && link.OtherAddresses.Count > 0)
                errors.Add($"{path}.Address", "is not set, and OtherAddresses are: set it, or clear them");
            if (!isCalled && !SiteAddress.TryParse(link.Address, out _, out _))
                errors.Add($"{path}.Address", $"'{link.Address}' is not HOST:PORT, such as 10.0.0.5:{DefaultPort}");
            CheckOthers(errors, path, link);
        }
        if (!hasOwn) errors.Add("Links", $"none is of the site '{Site}': add one to each neighbour");
        int sites = Links.SelectMany(link => new[] { link?.From ?? Site, link?.To ?? Site }).Distinct().Count();
        if (sites > Protocol.Sites.SiteSet.MostSites)
            errors.Add("Links", $"have {sites} sites, and {Protocol.Sites.SiteSet.MostSites} may be");
    }

    private void CheckTransport(OptionErrors errors, string path, SiteLinkOptions link)
    {
        if (link.Transport != SiteLinkTransport.Tcp) return;
        bool hasSelector = _security.Certificates?.CertificateSelector is not null;
        bool hasRoots = _security.Certificates?.TrustedRoots.Count > 0 || TrustedRootsFile is not null;
        if (CertificateFile is not null && hasSelector)
            errors.Add("CertificateFile", "is set, and so is a certificate by UseCertificates: leave one out");
        if (CertificateFile is null && !hasSelector)
        {
            errors.Add(
                $"{path}.Transport",
                "is Tcp, and the gateway has no certificate: set CertificateFile, or call UseCertificates");
        }
        if (!hasRoots)
        {
            errors.Add(
                $"{path}.Transport",
                "is Tcp, and the gateway trusts no authority: set TrustedRootsFile, or fill TrustedRoots");
        }
        if (link.CertificateName is { } name && Uri.CheckHostName(name) == UriHostNameType.Unknown)
            errors.Add($"{path}.CertificateName", $"'{name}' is no name of a host");
        if (link.CertificateName is null && Names.IsValid(PeerOf(link))
            && Uri.CheckHostName(PeerOf(link)) == UriHostNameType.Unknown)
        {
            errors.Add(
                $"{path}.CertificateName",
                $"is not set, and the name of site '{PeerOf(link)}' is no name of a host: set it");
        }
    }

    private string PeerOf(SiteLinkOptions link) => link.To == Site ? link.From ?? Site : link.To;

    private static void CheckOthers(OptionErrors errors, string path, SiteLinkOptions link)
    {
        if (link.OtherAddresses.Count > MostOtherAddresses)
            errors.Add($"{path}.OtherAddresses", $"are {link.OtherAddresses.Count}, and {MostOtherAddresses} may be");
        for (int index = 0; index < link.OtherAddresses.Count; index++)
        {
            string address = link.OtherAddresses[index];
            if (!SiteAddress.TryParse(address, out _, out _))
            {
                errors.Add(
                    $"{path}.OtherAddresses[{index}]", $"'{address}' is not HOST:PORT, such as 10.0.0.6:{DefaultPort}");
            }
            else if (address == link.Address || link.OtherAddresses.IndexOf(address) < index)
            {
                errors.Add($"{path}.OtherAddresses[{index}]", $"'{address}' is given twice");
            }
        }
    }

    private void CheckGroups(OptionErrors errors)
    {
        if (Groups.Count == 0 && !OrdersGroups) errors.Add("Groups", "is empty: name the groups that span sites");
        // That of the stream of gateways.
        var numbers = new Dictionary<uint, string>
        {
            [GroupNumber.Of(SiteTelling.GroupName).Number] = SiteTelling.GroupName,
        };
        for (int index = 0; index < Groups.Count; index++)
        {
            string name = Groups[index];
            if (!Names.IsValid(name) || name[0] == '$' || name == Ordering.RingBody.Group)
            {
                errors.Add($"Groups[{index}]", "is no name of a group");
                continue;
            }
            if (numbers.TryAdd(GroupNumber.Of(name).Number, name)) continue;
            string other = numbers[GroupNumber.Of(name).Number];
            errors.Add(
                $"Groups[{index}]",
                other == name ? $"'{name}' is given twice" : $"'{name}' has the number of '{other}': rename one");
        }
    }
}
