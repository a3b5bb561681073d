using System.Text;

namespace QuickSilver.WideArea.Records;

/// <summary>A sender as it stands in records: texts of at most 255 bytes each. Immutable.</summary>
/// <param name="Id">The text form of its id, as UTF-8.</param>
/// <param name="Name">Its readable name, as UTF-8.</param>
internal sealed record SenderText(byte[] Id, byte[] Name)
{
    /// <summary>That of a node. Names of nodes have 255 bytes at most.</summary>
    public static SenderText Of(MemberId id, string name) =>
        new(Encoding.UTF8.GetBytes(id.ToString()), Encoding.UTF8.GetBytes(name));
}
