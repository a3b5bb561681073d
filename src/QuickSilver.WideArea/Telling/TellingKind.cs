namespace QuickSilver.WideArea.Telling;

/// <summary>What a message in the group <see cref="SiteTelling.GroupName"/> is, behind a version byte of 2. Version 1
/// is <see cref="PressureBody"/>; its readers drop all others.</summary>
internal enum TellingKind : byte
{
    /// <summary>A node wants to know which sites have members: <see cref="HelloBody"/>.</summary>
    Hello = 1,

    /// <summary>A gateway is there: <see cref="AliveBody"/>.</summary>
    Alive = 2,

    /// <summary>The members of a group at a site: <see cref="PlaceBody"/>.</summary>
    Place = 3,

    /// <summary>A node asks who holds a message: <see cref="AskBody"/>.</summary>
    Ask = 4,

    /// <summary>A gateway answers: <see cref="AnswerBody"/>.</summary>
    Answer = 5,

    /// <summary>How a gateway reaches another site: <see cref="SiteBody"/>.</summary>
    Site = 6,
}
