using QuickSilver.WideArea.Diagnostics;
using QuickSilver.WideArea.Links;
using QuickSilver.WideArea.Ordering;
using QuickSilver.WideArea.Presence;

namespace QuickSilver.WideArea.Running;

/// <summary>What a gateway has from its start to its end, whether it is active or not.</summary>
/// <param name="Node">The node beside which it runs.</param>
/// <param name="Options">Valid options.</param>
/// <param name="Plan">What they come to.</param>
/// <param name="Keys">Keys of the links, the one that seals first.</param>
/// <param name="Socket">The socket.</param>
/// <param name="Streams">The connections of links by TCP; null when there are none.</param>
/// <param name="Addresses">Where neighbours are.</param>
/// <param name="Presence">The gateways of the site.</param>
/// <param name="Figures">Counts.</param>
/// <param name="Log">The log.</param>
/// <param name="Order">The order of all sites; null when the gateway carries none.</param>
internal sealed record GatewayParts(
    QuickSilverNode Node, SiteGatewayOptions Options, GatewayPlan Plan, LinkKey[] Keys, GatewaySocket Socket,
    GatewayStreams? Streams, AddressBook Addresses, GatewayPresence Presence, GatewayFigures Figures, GatewayLog Log,
    OrderGateway? Order);
