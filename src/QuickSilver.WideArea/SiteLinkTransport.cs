using System.Text.Json.Serialization;

namespace QuickSilver.WideArea;

/// <summary>What carries a link between sites. The same at both ends.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<SiteLinkTransport>))]
public enum SiteLinkTransport
{
    /// <summary>Datagrams by UDP. The link repairs losses by itself, and keeps its pace under loss.</summary>
    Udp,

    /// <summary>A connection by TCP with TLS, for networks that let nothing else through. A lost packet holds up all
    /// that follows it, and TCP sends less when packets are lost. Needs certificates
    /// (<see cref="SiteGatewayOptions.CertificateFile"/>), beside the key of the links.</summary>
    Tcp,
}
