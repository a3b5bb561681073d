using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Rounds;

/// <summary>What is measured in rounds. Equal plans are the same measurement.</summary>
/// <param name="Hosts">The first ones have a sender each, the others a receiver each; one host has one of both.</param>
/// <param name="Senders">Of every group.</param>
/// <param name="Groups">To which each sender sends in turn.</param>
/// <param name="Overlap">Share of the groups that each receiver joins, from a place of its own on; 1: all.</param>
/// <param name="Size">Bytes of a message.</param>
/// <param name="Loss">Share of datagrams that each receiver drops.</param>
/// <param name="Transport">How QuickSilver's packets travel.</param>
/// <param name="Security">What protects QuickSilver.</param>
/// <param name="Messages">Of a round, from all senders together.</param>
/// <param name="Rate">Messages a second of each sender; 0: full speed.</param>
internal sealed record RoundPlan(
    int Hosts, int Senders, int Groups, double Overlap, int Size, double Loss, TransportKind Transport,
    RunSecurity Security, int Messages, double Rate)
{
    /// <summary>Processes that receive.</summary>
    public int Receivers => Math.Max(1, Hosts - Senders);
}
