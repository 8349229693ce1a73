/** Names that are common in many places, so that none of them says more than the caller did. */
export const femaleNames = (
  'Ada Alma Amina Anna Aria Celia Clara Dina Elena Elin Esme Farah Greta Hana Ines Iris Jana Kira Laila Lea ' +
  'Lina Luisa Maia Mara Mina Mira Nadia Naomi Nina Nora Olivia Petra Rana Rosa Samira Sara Selma Sofia Talia Tara ' +
  'Uma Vera Yara Zoe'
).split(' ');

export const maleNames = (
  'Adam Adrian Amir Anton Aron Bruno Cyrus Daniel Dario David Elias Emil Farid Felix Gabriel Hugo Idris Ivan Jamal ' +
  'Jonas Julian Karim Leon Luca Malik Marco Milan Nabil Nico Omar Oscar Rafael Rami Ravi Samir Simon Tariq Theo ' +
  'Tomas Victor Yusuf Zayn'
).split(' ');

export const neutralNames = (
  'Alex Amari Ari Ariel Charlie Dana Eden Imani Indra Jules Jun Kai Kim Kiran Lior Luca Mika Milan Nico Nika Noa ' +
  'Noor Quinn Remi Rio Robin Rowan Sam Sasha Shay Sky Sol Toni Yuki'
).split(' ');

export const familyNames = (
  'Abe Adler Aksel Amadi Arden Ashby Banerjee Bell Berg Blum Brandt Castro Chen Cole Costa Daro Diaz Duval Eze ' +
  'Falk Ferro Gray Haas Hale Hart Ibarra Ito Jain Kahn Kato Kaya Keller Khan Kim Kovac Lane Larsen Lima Lind Marin ' +
  'Mendes Moreau Nair Novak Okoye Orr Park Patel Quist Rao Reyes Rossi Ruiz Sato Shah Silva Sol Stern Tan Torres ' +
  'Vale Vega Wells West Yilmaz Zhou'
).split(' ');
