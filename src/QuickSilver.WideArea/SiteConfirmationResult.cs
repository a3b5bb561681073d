using System.Text.Json.Serialization;

namespace QuickSilver.WideArea;

/// <summary>What became of a message on its way to other sites.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<SiteConfirmationResult>))]
public enum SiteConfirmationResult
{
    /// <summary>Each other site with members is named in <see cref="SiteConfirmation.Sites"/>.</summary>
    Told,

    /// <summary>The group is not one of <see cref="SiteGatewayOptions.Groups"/>: it does not leave the site.</summary>
    NotSpanning,

    /// <summary>The message did not leave the site: the sender's node is beside a gateway, or the gateway has not got
    /// the message, as log record 1711 tells.</summary>
    NotForwarded,

    /// <summary>No gateway of the site was heard for 30 s.</summary>
    NoGateway,
}
