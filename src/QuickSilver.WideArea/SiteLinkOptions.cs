namespace QuickSilver.WideArea;

/// <summary>A link between two sites. All gateways have the same list of links; addresses, names of certificates and
/// caps differ.</summary>
public sealed class SiteLinkOptions
{
    /// <summary>Name of the site at one end. Null (default): the gateway's own site.</summary>
    public string? From { get; set; }

    /// <summary>Name of the site at the other end.</summary>
    public string To { get; set; } = "";

    /// <summary>Where the gateway at the other end is reached: "gateway.tokyo.example:16900" or "[fd00::5]:16900".
    /// Only links of the own site need one; those of other sites ignore it. A name is resolved again while the link is
    /// down. Null for a link by TCP whose other end calls: one end with an address is enough.</summary>
    public string? Address { get; set; }

    /// <summary>Where further gateways of the site at the other end are reached, as <see cref="Address"/>: those that
    /// take over from each other (<see cref="SiteGatewayOptions.Standby"/>). While the link is down all addresses are
    /// tried; the link follows the one that answers. At most 8. Default: none.</summary>
    public IList<string> OtherAddresses { get; private set; } = [];

    /// <summary>Bytes a second that this end sends over the link, at most, packets sent again and parity included. 0
    /// (default): no cap; the link finds its pace. Links of other sites ignore it.</summary>
    public long MaxBytesPerSecond { get; set; }

    /// <summary>After how many packets this end sends their parity, by which the other end rebuilds one of them that is
    /// lost without asking for it. 2 to 64; 0 (default): never. It costs one packet for so many, and more where packets
    /// are few: a set ends an eighth of the round trip after its first packet, or 2 ms. The ends may differ; both need
    /// a version that has this option. Links by TCP lose nothing and take none. Links of other sites ignore it.
    /// </summary>
    public int ParityEvery { get; set; }

    /// <summary>What the link costs when ways are chosen, as a one-way delay. All gateways have the same. Zero
    /// (default): half of the measured round trip.</summary>
    public TimeSpan Cost { get; set; }

    /// <summary>What carries the link. All gateways have the same: those with another one are refused (log record
    /// 1709). Default: UDP.</summary>
    public SiteLinkTransport Transport { get; set; }

    /// <summary>The name that the certificate of the gateway at the other end needs: an alternative name of a host, or
    /// one that a wildcard covers. Null (default): the name of its site. Links by UDP, and those of other sites, ignore
    /// it.</summary>
    public string? CertificateName { get; set; }

    internal SiteLinkOptions Copy()
    {
        var copy = (SiteLinkOptions)MemberwiseClone();
        copy.OtherAddresses = [.. OtherAddresses];
        return copy;
    }
}
